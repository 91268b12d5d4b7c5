import os

override = os.getenv("NVIDIA_TF32_OVERRIDE")
# output
