import torch
import triton
import triton.language as tl
# output
2 works-as-is: import triton
