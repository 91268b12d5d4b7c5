"""What reaches an NVIDIA user at all: files that are new, collected, shadowed, only documented, never run or never compiled."""
