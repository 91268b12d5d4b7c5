"""rewarp: carry CUDA code to AMD GPUs, and prove that it arrived.

>>> import rewarp
>>> report = rewarp.scan("path/to/repository")
>>> report.verdict.conclusion, len(report.findings)
>>> rewarp.translate("cudaMalloc(&p, n);").text
"""

# Nothing is imported here: `python -m rewarp` comes by before the current folder, which may be a stranger's, is off the
# path (see __main__).
TYPE_CHECKING = False

__version__ = "0.2.0"
__all__ = ["ScanReport", "Translation", "__version__", "hipify", "scan", "translate"]

if TYPE_CHECKING:
    from typing import Any

    from rewarp.api import ScanReport, scan
    from rewarp.translation.changes import Translation
    from rewarp.translation.hipify import hipify
    from rewarp.translation.verb import translate

_HOMES = {
    "scan": "api",
    "ScanReport": "api",
    "translate": "translation.verb",
    "Translation": "translation.changes",
    "hipify": "translation.hipify",
}


def __getattr__(name: str) -> "Any":
    # Late, so that `import rewarp` costs nothing until a verb is used.
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"rewarp.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rewarp' has no attribute {name!r}")
