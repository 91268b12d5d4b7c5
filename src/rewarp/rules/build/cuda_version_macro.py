"""BLD-019: the CUDA version asked for by the preprocessor."""

import re
from collections.abc import Iterator

from rewarp.edits import Safety
from rewarp.findings import Effort, Phase, Severity
from rewarp.lang.cpp.file import CodeFile
from rewarp.lang.kinds import CPP_KINDS
from rewarp.registry import Hit, Impact, rule
from rewarp.source import Span
from rewarp.targets import Context

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b((?:\\\r?\n|[^\r\n])*)", re.M)
_VERSION = re.compile(rb"\b(CUDA_VERSION|CUDART_VERSION)\b(?:\s*(>=|>|<=|<|==|!=))?")
_KNOWS_AMD = re.compile(rb"ROCM|HIP|AMD|RDNA|CDNA|MUSA")
_DECLARES = re.compile(rb"^[ \t]*#[ \t]*(include|define|error)\b|\b(typedef|using)\b", re.M)


@rule(
    id="BLD-019",
    title="A preprocessor test on the CUDA version without an AMD side",
    kinds=CPP_KINDS,
    anchors=["CUDA_VERSION", "CUDART_VERSION"],
    phase=Phase.BUILD,
    rocm=Impact(
        Severity.BUILD,
        why="Translated code has no CUDA version to compare: the macro is missing or holds a HIP number, so the branch "
        "meant for an old CUDA is taken, whose names AMD often lacks.",
        fix="Say what AMD shall take: `#if defined(USE_ROCM) || CUDA_VERSION >= N`, or `!defined(USE_ROCM) && ...`.",
        safety=Safety.SAFE,
        effort=Effort.MINUTES,
    ),
    example="#if CUDA_VERSION >= 11000\n#include <cuda_bf16.h>\n#endif",
    source="https://docs.pytorch.org/docs/main/notes/hip.html",
)
def match(document: CodeFile, context: Context) -> Iterator[Hit]:
    """Looks for #if and #elif on CUDA_VERSION or CUDART_VERSION whose condition does not mention ROCm or HIP."""
    directives = list(_DIRECTIVE.finditer(document.code))
    # A file that speaks of AMD in another condition has most likely been built there.
    aware = any(_KNOWS_AMD.search(directive[2]) for directive in directives)
    for index, directive in enumerate(directives):
        tests = list(_VERSION.finditer(directive[2]))
        version = next((test for test in tests if test[2]), tests[0] if tests else None)
        if not version or directive[1] not in (b"if", b"elif") or _KNOWS_AMD.search(directive[2]):
            continue
        end, whole = _ends(directives[index + 1 :])
        if end is None or whole is None or (end[1] == b"elif" and _KNOWS_AMD.search(end[2])):
            continue
        name = version[1].decode()
        newer = (version[2] or b">").startswith((b">", b"="))
        if newer and end is whole:
            message = f"this part needs a {name} and is left out on AMD"
        else:
            message = (
                f"{name} says nothing on AMD: {'the branch for older versions' if newer else 'this branch'} is taken"
            )
        # What decides is the part that is taken, or the part that is missing where there is no other.
        start, stop = (end.end(), whole.start()) if newer and end is not whole else (directive.end(), end.start())
        declares = _DECLARES.search(document.code, start, stop)
        yield Hit(Span(*directive.span()), message, name, None if declares and not aware else Severity.INFO)


def _ends(later: list[re.Match[bytes]]) -> tuple[re.Match[bytes] | None, re.Match[bytes] | None]:
    """The directive that ends a branch, and the #endif that ends the whole."""
    depth = 0
    branch: re.Match[bytes] | None = None
    for directive in later:
        if directive[1].startswith(b"if"):
            depth += 1
        elif depth:
            depth -= directive[1] == b"endif"
        else:
            branch = branch or directive
            if directive[1] == b"endif":
                return branch, directive
    return None, None
