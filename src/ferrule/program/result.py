"""What a comparison measured."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Comparison:
    """One tensor compared over all samples.

    `equal` elements of `total` have the same bytes; `max_difference` and `mean_error` are in the tensor's own units
    (codes for integers); `sqnr_db` is 10 log10(signal power / error power), infinite when equal; `cosine` is the
    cosine of the two flattened vectors; `relative` is the largest difference over the range of the reference.
    """

    tensor: str
    total: int
    equal: int
    max_difference: float
    mean_error: float
    sqnr_db: float
    cosine: float
    relative: float

    @property
    def is_equal(self) -> bool:
        """Whether every element has the same bytes."""
        return self.equal == self.total

    def to_json(self) -> dict[str, object]:
        """Return the numbers as plain JSON (infinity as null)."""
        return {k: (None if isinstance(v, float) and abs(v) == float("inf") else v) for k, v in asdict(self).items()}
