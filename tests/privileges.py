"""Root without the right to pass over permissions: tests of what may not be read or written run for root as well."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_VERSION_3 = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1, 2
_SET_SECUREBITS, _GET_SECUREBITS = 28, 27
_NO_ROOT, _NO_FIXUP = 1, 4
"""What root starts has no rights beyond those of a file's owner; and access(2) asks for rights in force, not possible."""


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Data(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


@contextmanager
def permissions_hold() -> Iterator[None]:
    """Files that nobody may read or write are so for this process and its children; Linux only."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, data = _Header(_VERSION_3, 0), (_Data * 2)()
    _done(libc.capget(ctypes.byref(header), data))
    before, bits = data[0].effective, libc.prctl(_GET_SECUREBITS, 0, 0, 0, 0)
    _done(libc.prctl(_SET_SECUREBITS, bits | _NO_ROOT | _NO_FIXUP, 0, 0, 0))
    data[0].effective = before & ~(1 << _DAC_OVERRIDE | 1 << _DAC_READ_SEARCH)
    _done(libc.capset(ctypes.byref(header), data))
    try:
        yield
    finally:
        data[0].effective = before
        _done(libc.capset(ctypes.byref(header), data))
        _done(libc.prctl(_SET_SECUREBITS, bits, 0, 0, 0))


def _done(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "root cannot give up its rights here")
