"""A C++ standard library for machines that have none: zig's wheel carries the headers of libc++ and glibc.

The machine's own goes first, since that is what a ROCm build there would use.
"""

from __future__ import annotations

import platform
from pathlib import Path

_HIP_NEEDS = Path(__file__).with_name("libcxx_for_hip.h")
# Other builds of libc++ have these in a header; zig gives them with every call, by the target.
_CONFIGURATION = {
    "ABI_VERSION": "1",
    "ABI_NAMESPACE": "__1",
    "HAS_THREADS": "1",
    "HAS_THREAD_API_PTHREAD": "1",
    "HAS_MONOTONIC_CLOCK": "1",
    "HAS_TERMINAL": "1",
    "HAS_MUSL_LIBC": "0",
    "HAS_VENDOR_AVAILABILITY_ANNOTATIONS": "0",
    "HAS_FILESYSTEM": "1",
    "HAS_RANDOM_DEVICE": "1",
    "HAS_LOCALIZATION": "1",
    "HAS_UNICODE": "1",
    "HAS_WIDE_CHARACTERS": "1",
    "HAS_TIME_ZONE_DATABASE": "1",
    "PSTL_BACKEND_SERIAL": "1",
    "HARDENING_MODE_DEFAULT": "_LIBCPP_HARDENING_MODE_NONE",
    "HARDENING_MODE": "_LIBCPP_HARDENING_MODE_NONE",
    "ASSERTION_SEMANTIC_DEFAULT": "_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
}
_GLIBC_MINOR = 36
_ZIG_NAMES = {"x86_64": "x86", "amd64": "x86", "arm64": "aarch64"}


def machine_has_one(root: Path = Path("/")) -> bool:
    """Whether clang finds the headers of a C++ standard library and of C by itself."""
    cxx = any(root.glob("usr/include/c++/*/cmath")) and any(root.glob("usr/lib*/gcc/*/*/crtbegin.o"))
    return cxx and (root / "usr/include/stdlib.h").is_file()


def options_for(zig_library: Path) -> tuple[str, ...]:
    """Options that put zig's headers in the place of the machine's; none where they are not there."""
    machine = platform.machine().lower()
    name = _ZIG_NAMES.get(machine, machine)
    libc = zig_library / "libc/include"
    folders = [zig_library / "libcxx/include", zig_library / "libcxxabi/include"]
    folders += [libc / part for part in (f"{name}-linux-gnu", "generic-glibc", f"{name}-linux-any", "any-linux-any")]
    if not all(folder.is_dir() for folder in folders):
        return ()
    searched = [word for folder in folders for word in ("-isystem", str(folder))]
    defined = [f"-D_LIBCPP_{key}={value}" for key, value in _CONFIGURATION.items()]
    return (
        *("-nostdinc++", "-nostdlibinc", *searched, *defined, f"-D__GLIBC_MINOR__={_GLIBC_MINOR}"),
        *("-include", str(_HIP_NEEDS)),
    )
