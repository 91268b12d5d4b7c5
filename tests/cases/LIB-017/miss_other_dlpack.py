import numpy as np
from cutlass.cute.runtime import from_dlpack

x = from_dlpack(t)
y = np.from_dlpack(t)
name = "__cuda_array_interface__"  # t.__cuda_array_interface__
# output
