"""Triton kernels and their launches."""
