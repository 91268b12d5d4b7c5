"""Making warp code right on both widths: in warps of 32 that keep CUDA's meaning, or over the whole wave."""
