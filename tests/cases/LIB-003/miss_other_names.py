from deepspeed.runtime.compression.cupy import CupyBackend
from .cupy import array

requires = ["cupy"]  # import cupy
# output
