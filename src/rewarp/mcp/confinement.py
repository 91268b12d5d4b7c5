"""The kernel holds a process to folders: Landlock, which needs no rights and is never taken back (Linux 5.13 and newer).

A check of paths cannot keep a compiler from an ``#include`` that leads out of a repository, nor a program that is run from
anything at all; the kernel can. Landlock leaves two ways out, which are closed here, too: sockets, behind which others read and
write on request (seccomp), and what root may see of other processes, such as their variables (capabilities).
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Collection, Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_FILTER = 38, 22, 2
_PATH_BENEATH = 1
_VERSION = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _DEVICES = 1 << 13, 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_FOLDER
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICES
_ALL_NETWORK = 0b11
_ALL_SCOPES = 0b11
_CAPABILITIES = 0x20080522
_OF_FILES_ONLY = 0b11111
"""Capabilities that are about owners and modes of files: root keeps them, since folders may be somebody else's."""
_SOCKET = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""As seccomp names an architecture, and the number of socket() there."""
_IO_URING_SETUP = 425
"""It can open sockets as well."""
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_X32 = 1 << 30
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


class _Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("true", ctypes.c_uint8), ("false", ctypes.c_uint8), ("k", ctypes.c_uint32)]


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction))]


def version() -> int:
    """Of the kernel's Landlock; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))))


def confine(readable: Iterable[str], writable: Iterable[str], as_named: Collection[str] = ()) -> None:
    """From here on this process and all that it starts read and write nothing else, open no socket, and signal nobody outside
    where the kernel can forbid that. Raises OSError; so too where one of ``as_named`` has become a link to somewhere else."""
    abi = version()
    handled = _files(abi)
    # An older kernel takes a shorter structure: fields that it does not know must not be there.
    ruleset = _Ruleset(handled, _ALL_NETWORK if abi >= 4 else 0, _ALL_SCOPES if abi >= 6 else 0)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    rules = _called(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0))
    try:
        for paths, allowed in ((readable, _READ), (writable, handled)):
            for path in paths:
                _allow(rules, path, allowed & handled, path in as_named)
        if _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "no_new_privs")
        _drop_capabilities()
        _forbid_sockets()
        _called(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
    finally:
        os.close(rules)


def _files(abi: int) -> int:
    """What this kernel can forbid about files."""
    known = (1 << 13) - 1
    return known | (_REFER if abi >= 2 else 0) | (_TRUNCATE if abi >= 3 else 0) | (_DEVICES if abi >= 5 else 0)


def _allow(rules: int, path: str, allowed: int, as_named: bool) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there need not be allowed
    try:
        # Between the look at a path and this, somebody may have put a link in its place.
        if as_named and os.readlink(f"/proc/self/fd/{opened}") != path:
            raise OSError(errno.ESTALE, f"{path} is no longer what it was")
        beneath = _Beneath(allowed if os.path.isdir(path) else allowed & _OF_FILES, opened)
        _called(_ADD_RULE, ctypes.c_int(rules), ctypes.c_int(_PATH_BENEATH), ctypes.byref(beneath), ctypes.c_uint32(0))
    finally:
        os.close(opened)


def _drop_capabilities() -> None:
    """All but those about files. With no_new_privs, no program that is started gets them back."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
    held = (ctypes.c_uint32 * 6)()
    if _libc().capget(header, held):
        raise OSError(ctypes.get_errno(), "capabilities")
    effective, permitted = (held[at] & _OF_FILES_ONLY for at in (0, 1))
    if _libc().capset(header, (ctypes.c_uint32 * 6)(effective, permitted)):
        raise OSError(ctypes.get_errno(), "capabilities")


def _forbid_sockets() -> None:
    """A socket of another kind than TCP, which Landlock leaves: behind one, a daemon would read files for anybody."""
    if platform.machine() not in _SOCKET:
        return
    architecture, socket = _SOCKET[platform.machine()]
    program = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 0, 5, architecture),  # not of this architecture: refused, like the rest that jumps to the last line
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, 3, 0, _X32),
        (_EQUAL, 2, 0, socket),
        (_EQUAL, 1, 0, _IO_URING_SETUP),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    instructions = (_Instruction * len(program))(*(_Instruction(*one) for one in program))
    given = _Filter(len(program), instructions)
    if _libc().prctl(_PR_SET_SECCOMP, _SECCOMP_FILTER, ctypes.byref(given), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def _called(number: int, *arguments: object) -> int:
    found = int(_libc().syscall(number, *arguments))
    if found < 0:
        raise OSError(ctypes.get_errno(), "the kernel refused to confine the process")
    return found


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
