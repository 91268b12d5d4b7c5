"""Build evidence: every translation unit compiled to AMD machine code, and what its kernels ask of each GPU.

units      which files are compiled, and with which flags: ``flags`` reads them, one reader a build system
staging    CUDA sources translated into a tree of their own, HIP sources where they are
compile    units × architectures on all cores; ``store`` remembers results by content
limits     what a GPU has, and how many waves of a kernel fit; ``launches`` what the source asks of it
level      all of it as checks
"""

from __future__ import annotations

from rewarp.verify.build.level import verify_build

__all__ = ["verify_build"]
