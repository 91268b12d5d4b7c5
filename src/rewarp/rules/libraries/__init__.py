"""Python libraries that are NVIDIA-only or differ on AMD."""
