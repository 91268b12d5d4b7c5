"""Fused layer norm, softmax and histogram for NVIDIA GPUs."""

from warpnorm.ops import gelu, histogram, layer_norm, matmul, softmax

__all__ = ["gelu", "histogram", "layer_norm", "matmul", "softmax"]
