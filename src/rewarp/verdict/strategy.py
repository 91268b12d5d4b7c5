"""What to do with CUDA C++: one source, translation in the build, or HIP sources of their own."""

from __future__ import annotations

from rewarp.findings import Effort, ScanResult
from rewarp.lang.kinds import CPP_KINDS, PYTHON_KINDS
from rewarp.registry import Trait, all_rules, is_about
from rewarp.verdict.answer import Approach, Strategy

_CPP = frozenset(kind.value for kind in CPP_KINDS)


def strategy(result: ScanResult) -> Strategy | None:
    """What to do with CUDA C++, if there is any that is not HIP already."""
    sources = [o for o in result.scanned if o.kind == "cuda" or any(_is_in_cpp(f.rule, o.kind) for f in o.findings)]
    if not sources:
        return None
    hard = {f.path for f in result.findings if is_about(f.rule, Trait.REWRITE) and f.effort is Effort.REWRITE}
    gated = sum(1 for outcome in sources if outcome.gated)
    torch_extension = any(is_about(f.rule, Trait.TORCH_EXTENSION) for f in (*result.works, *result.findings))
    rust = any(all_rules()[f.rule].family == "rust" for f in result.findings)
    count = f"{len(sources)} C++/CUDA {'file' if len(sources) == 1 else 'files'}"
    reasons: list[str] = []
    if len(hard) * 2 > len(sources):
        approach = Approach.COMMITTED
        reasons.append(
            f"{len(hard)} of {count} need kernels of their own on AMD, so one shared source would be mostly #if."
        )
        reasons.append("Keep HIP versions beside the CUDA ones, where both can be read and tested.")
    elif torch_extension:
        approach = Approach.BUILD_TIME
        reasons.append(
            "setup.py builds a torch extension: its build translates .cu files to HIP when torch is a ROCm build."
        )
        reasons.append("The CUDA sources stay the only copy; keep the translated files out of git.")
    elif rust or gated * 3 > len(sources):
        approach = Approach.SHIM
        reasons.append(
            "Kernels are compiled by the crate's build script from one set of .cu files."
            if rust
            else f"{gated} of {count} already branch on HIP: the sources are meant to serve both."
        )
        reasons.append("One header that maps the CUDA names in use lets hipcc compile the same files.")
    elif len(sources) > 40:
        approach = Approach.BUILD_TIME
        reasons.append(f"{count}: too many to keep twice, and the build can translate them on the fly.")
    else:
        approach = Approach.SHIM
        reasons.append(f"{count}: one header that maps the CUDA names in use leaves every source as it is.")
    if hard and approach is not Approach.COMMITTED:
        reasons.append(
            f"{len(hard)} of them hold PTX, CUTLASS or tensor-core code: those need HIP versions of their own."
        )
    return Strategy(approach, tuple(reasons))


def _is_in_cpp(rule: str, kind: str) -> bool:
    """Whether what a rule finds is C++: in a file of it, or in a string of Python that holds a source."""
    known = all_rules()[rule]
    return known.family == "cuda" and (kind in _CPP or known.kinds.isdisjoint(PYTHON_KINDS))
