"""What a compiler said, as data, and why a translated source does not compile, as one word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

_LINE = re.compile(
    r"^(?:(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): |[\w.+-]+: )?"
    r"(?P<severity>fatal error|error|warning|note|remark): (?P<message>.+)$",
    re.MULTILINE,
)


class Severity(Enum):
    FATAL = "fatal error"
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    REMARK = "remark"

    @property
    def is_error(self) -> bool:
        return self in (Severity.FATAL, Severity.ERROR)


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler; no file where it speaks of the command line or of itself."""

    file: str | None
    line: int | None
    column: int | None
    severity: Severity
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{where}{self.severity.value}: {self.message}"


class Cause(Enum):
    """Why a source does not compile, as far as the first error tells."""

    MISSING_HEADER = "missing header"
    NO_AMD_TWIN = "library without an AMD twin"
    SET_UP_FOR_CUDA = "library that a macro sets up for CUDA"
    UNDECLARED = "undeclared name"
    NO_MATCH = "no matching function"
    LANE_MASK = "lane mask not 64 bits"
    REDEFINITION = "redefinition"
    AMBIGUOUS = "ambiguous call"
    INLINE_ASSEMBLY = "inline PTX"
    CONVERSION = "type conversion"
    MISSING_MEMBER = "missing member"
    NO_TEXTURE_UNITS = "textures, which this GPU lacks"
    HOST_CALL = "call of a host function from device code"
    UNDEFINED = "device function or variable that is defined nowhere"
    UNKNOWN_ARCH = "architecture that the compiler does not know"
    TIME_LIMIT = "time limit"
    CRASH = "compiler crash"
    OUT_OF_MEMORY = "compiler out of memory"
    NOT_USABLE = "compiler not usable"
    OTHER = "other"

    @property
    def is_of_compiler(self) -> bool:
        """Whether it says nothing about the source: nothing was checked."""
        return self in (Cause.UNKNOWN_ARCH, Cause.TIME_LIMIT, Cause.CRASH, Cause.OUT_OF_MEMORY, Cause.NOT_USABLE)


@dataclass(frozen=True)
class Failure:
    cause: Cause
    subject: str
    """The header, name or function it is about; the message itself where there is none."""
    message: str


_NO_TWIN = re.compile(
    r"(?:npp\w*|nvjpeg\w*|nvcuvid|cuviddec|nvEncodeAPI|cudla|nvsci\w*|optix\w*|cuda_egl_interop|cudaEGL\w*|cupti\w*"
    r"|cuda_vdpau_interop|cudaVDPAU\w*|cusolverMg|nvvm|cutlass/.*|cute/.*|tensorrt.*|NvInfer.*)(?:\.\w+)?"
)
"""Headers of what AMD has no source-compatible library for."""

_OF_CUDA = re.compile(r"(?:cuda|cub)/.+")
_THRUST = re.compile(r"(?:^|/)thrust/[\w/.]+$")
"""rocThrust asks for CUDA's own headers only where THRUST_DEVICE_SYSTEM names CUDA."""
_IN_ASSEMBLY = "instantiated into assembly here"

# First match wins: the narrow before the wide.
_SIGNS: tuple[tuple[re.Pattern[str], Cause], ...] = tuple(
    (re.compile(pattern), cause)
    for pattern, cause in (
        (r"^'([^']+)' file not found", Cause.MISSING_HEADER),
        (r"^(?:invalid target ID|unknown target CPU) '([^']+)'", Cause.UNKNOWN_ARCH),
        (r"^unsupported (?:HIP|CUDA) gpu architecture: (\S+)", Cause.UNKNOWN_ARCH),
        (r"^(the compiler gave no answer)", Cause.TIME_LIMIT),
        (r"^the compiler crashed: (.+)", Cause.CRASH),
        (r"^the compiler ran out of memory: (.+)", Cause.OUT_OF_MEMORY),
        (r"^the compiler could not be started: (.+)", Cause.NOT_USABLE),
        (r"^cannot open file '([^']+\.bc)'", Cause.NOT_USABLE),  # a device library
        (r"^undefined (?:\w+ )*symbol: (.+)", Cause.UNDEFINED),
        (r"static assertion failed.*(mask)", Cause.LANE_MASK),
        (r"^'(\w+)(?:<.*)?' is unavailable: The image/texture API not supported", Cause.NO_TEXTURE_UNITS),
        (r"^redefinition of '([^']+)'", Cause.REDEFINITION),
        (r"^(?:use of undeclared identifier|unknown type name|undeclared identifier) '([^']+)'", Cause.UNDECLARED),
        (r"^no (?:template|type|member) named '([^']+)' in namespace", Cause.UNDECLARED),
        (r"^no (?:template|type) named '([^']+)'", Cause.UNDECLARED),
        (r"^'?([\w:]+)'? was not declared", Cause.UNDECLARED),
        (r"^no member named '([^']+)'", Cause.MISSING_MEMBER),
        (r"^call to '?([\w:<>]+)'? is ambiguous", Cause.AMBIGUOUS),
        (r"^use of overloaded operator '([^']+)' is ambiguous", Cause.AMBIGUOUS),
        (r"^no matching (?:member )?(?:function|constructor)[^']*'([^']+)'", Cause.NO_MATCH),
        (r"^reference to (?:__host__|__device__|__global__) function '([^']+)'", Cause.HOST_CALL),
        (r"constraint '([^']*)' in asm|couldn't allocate \w+ reg\w* for constraint '([^']*)'", Cause.INLINE_ASSEMBLY),
        (r"<inline asm>:\d+:\d+: (.+)", Cause.INLINE_ASSEMBLY),
        (r"^(invalid instruction|unknown token in expression|not a valid operand)", Cause.INLINE_ASSEMBLY),
        (r"^(?:cannot|assigning|no viable|invalid)[^']*(?:conver|initializ|assigning)[^']*'([^']+)'", Cause.CONVERSION),
    )
)


def parse_diagnostics(text: str) -> tuple[Diagnostic, ...]:
    """The messages in a compiler's output, in its order."""
    return tuple(
        Diagnostic(
            found["file"],
            int(found["line"]) if found["line"] else None,
            int(found["column"]) if found["column"] else None,
            Severity(found["severity"]),
            found["message"].strip(),
        )
        for found in _LINE.finditer(text)
    )


def errors_and_origins(diagnostics: Iterable[Diagnostic]) -> list[list[Diagnostic]]:
    """Each error, with what the compiler says of where it came from."""
    found: list[list[Diagnostic]] = []
    for said in diagnostics:
        if said.severity.is_error:
            found.append([said])
        elif found:
            found[-1].append(said)
    return found


def cause_of_failure(diagnostics: Iterable[Diagnostic]) -> Failure | None:
    """What the first error is about; None where there is no error."""
    rest = iter(diagnostics)
    first = next((found for found in rest if found.severity.is_error), None)
    if first is None:
        return None
    following = next(rest, None)
    if following and following.message == _IN_ASSEMBLY:
        return Failure(Cause.INLINE_ASSEMBLY, first.message, first.message)
    for pattern, cause in _SIGNS:
        sign = pattern.search(first.message)
        if sign:
            subject = next((group for group in sign.groups() if group), first.message)
            if cause is Cause.MISSING_HEADER and _NO_TWIN.fullmatch(subject):
                cause = Cause.NO_AMD_TWIN
            elif cause is Cause.MISSING_HEADER and _OF_CUDA.fullmatch(subject) and _THRUST.search(first.file or ""):
                cause = Cause.SET_UP_FOR_CUDA
            return Failure(cause, subject, first.message)
    return Failure(Cause.OTHER, first.message, first.message)
