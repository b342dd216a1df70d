"""The weights blob: constants, packed, with a checked header."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

import numpy as np

MAGIC = b"FRWB"
VERSION = 1
HEADER_BYTES = 64
ALIGN = 16


@dataclass
class Blob:
    """Collects constant arrays; equal ones are kept once. Offsets count from the beginning of the header.

    Header, little endian: magic `FRWB`, u32 version, u32 length of the whole blob, u32 CRC-32 of what follows the
    header, 32 bytes SHA-256 of the model file, zeros up to 64 bytes.
    """

    model_hash: bytes
    _chunks: list[bytes] = field(default_factory=list)
    _offsets: dict[bytes, int] = field(default_factory=dict)
    _size: int = HEADER_BYTES

    def add(self, array: np.ndarray) -> int:
        """Return the byte offset of the array's data, adding it where it is new."""
        data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        if data not in self._offsets:
            self._offsets[data] = self._size
            padded = data + bytes(-len(data) % ALIGN)
            self._chunks.append(padded)
            self._size += len(padded)
        return self._offsets[data]

    @property
    def size_bytes(self) -> int:
        """Header and constants."""
        return self._size

    def packed(self) -> bytes:
        """Return the blob with its header."""
        body = b"".join(self._chunks)
        header = struct.pack("<4sIII32s", MAGIC, VERSION, self._size, self.crc(body), self.model_hash)
        return header.ljust(HEADER_BYTES, b"\0") + body

    def crc(self, body: bytes | None = None) -> int:
        """CRC-32 (IEEE 802.3) of the constants."""
        return zlib.crc32(b"".join(self._chunks) if body is None else body)


def stored(array: np.ndarray) -> np.ndarray:
    """A constant as it lies in the blob."""
    return array.astype(np.uint8) if array.dtype == np.bool_ else array
