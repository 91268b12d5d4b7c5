"""Build and packaging files: what an NVIDIA user's build or install would now do differently."""
