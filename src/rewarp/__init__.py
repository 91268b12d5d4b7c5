"""rewarp: carry CUDA code to AMD GPUs, and prove that it arrived.

>>> import rewarp
>>> report = rewarp.scan("path/to/repository")
>>> report.verdict.conclusion, len(report.findings)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["ScanReport", "__version__", "scan"]

if TYPE_CHECKING:
    from rewarp.api import ScanReport, scan


def __getattr__(name: str) -> Any:
    # Late, so that `import rewarp` costs nothing until a verb is used.
    if name in ("scan", "ScanReport"):
        from rewarp import api

        return getattr(api, name)
    raise AttributeError(f"module 'rewarp' has no attribute {name!r}")
