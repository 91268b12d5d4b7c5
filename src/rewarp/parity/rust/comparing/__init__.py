"""Units of both back ends: traits, types, choices by device, kernels."""
