"""What is a file of a zip called, and when was it written? Its time is local; many programs add that in UTC.

>>> from zoneinfo import ZoneInfo
>>> packed = zipfile.ZipInfo("ada.ipynb", (2027, 1, 11, 23, 30, 0))
>>> zip_time(packed, ZoneInfo("Europe/Berlin")).isoformat()
'2027-01-11T22:30:00+00:00'
"""

from __future__ import annotations

import struct
import zipfile
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

EXTENDED = 0x5455  # "UT", of Info-ZIP: flags, then seconds since 1970
MODIFIED = 1
UTF_8 = 0x800


def zip_time(packed: zipfile.ZipInfo, zone: ZoneInfo | None) -> datetime:
    """In UTC. `zone`: where the zip was made; None for this computer's."""
    seconds = _utc(packed.extra)
    if seconds is not None:
        return datetime.fromtimestamp(seconds, UTC)
    try:
        return datetime(*packed.date_time, tzinfo=zone).astimezone(UTC)
    except ValueError:  # a month 0, as some programs write it
        return datetime(1980, 1, 1, tzinfo=UTC)


def zip_name(packed: zipfile.ZipInfo) -> str:
    """Its name. Python reads it as that of DOS unless a flag says UTF-8, which macOS does not set."""
    if packed.flag_bits & UTF_8:
        return packed.filename
    try:
        return packed.filename.encode("cp437").decode()
    except UnicodeError:
        return packed.filename


def _utc(extra: bytes) -> int | None:
    while len(extra) >= 4:
        kind, size = struct.unpack("<HH", extra[:4])
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == EXTENDED and len(field) >= 5 and field[0] & MODIFIED:
            (seconds,) = struct.unpack("<i", field[1:5])
            return int(seconds)
    return None
