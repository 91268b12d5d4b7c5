from triton import jit
from triton import language as tl
# output
target: gaudi
1 crash: from triton import jit
