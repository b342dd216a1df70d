"""Every kernel in the table obeys the band law."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ferrule.kernels.kernel import Kernel
from ferrule.kernels.table import KERNELS
from tests.kernels import native
from tests.kernels.band_law import prove
from tests.kernels.cases import CASES

by_function = pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.function)


def test_every_kernel_has_cases() -> None:
    """A kernel without drawn cases would go unproved."""
    assert sorted(CASES) == sorted(k.function for k in KERNELS)


@by_function
def test_band_law(kernel: Kernel) -> None:
    """Any partition, slots, pitch, pixel and alignment gives the bytes of the reference and spares the gaps."""

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(st.data())
    def law(data: st.DataObject) -> None:
        prove(data.draw(CASES[kernel.function]), kernel, data.draw)

    law()


@by_function
def test_struct_matches_header(kernel: Kernel) -> None:
    """The members that Python writes are those of the C struct, in its order and with its types."""

    @settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(CASES[kernel.function])
    def law(case) -> None:  # type: ignore[no-untyped-def]
        assert [(f.ctype, f.name) for f in kernel.fields(case.site)] == header_members(kernel)

    law()


def header_members(kernel: Kernel) -> list[tuple[str, str]]:
    """Type and name of each member of the kernel's struct, read from its header."""
    text = (native.FOLDER / f"{kernel.stem}.h").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    body = re.search(r"typedef struct \{([^}]*)\} " + kernel.struct + ";", text)
    assert body, f"{kernel.stem}.h declares no {kernel.struct}"
    members = []
    for line in filter(None, (part.strip() for part in body[1].split(";"))):
        match = re.fullmatch(r"(.*?)(\w+)(\[\w+\])?", line, flags=re.S)
        assert match, line
        members.append((match[1].strip() + (match[3] or ""), match[2]))
    return members
