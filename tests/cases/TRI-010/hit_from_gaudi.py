from triton import jit
from triton import language as tl
# output
target: gaudi
1 info: from triton import jit
