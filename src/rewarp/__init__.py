"""rewarp: carry CUDA code to AMD GPUs, and prove that it arrived."""

__version__ = "0.1.0"
