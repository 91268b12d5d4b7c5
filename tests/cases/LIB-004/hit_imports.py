import xformers.ops as xops
from xformers.ops import memory_efficient_attention
from xformers.ops.fmha.attn_bias import LowerTriangularMask

out = xops.memory_efficient_attention(q, k, v, op=xops.MemoryEfficientAttentionCutlassOp)
op = xops.fmha.cutlass.FwOp
# output
1 info: import xformers.ops as xops
2 info: from xformers.ops import memory_efficient_attention
3 info: from xformers.ops.fmha.attn_bias import LowerTriangularMask
5 crash: xops.MemoryEfficientAttentionCutlassOp
6 crash: xops.fmha.cutlass.FwOp
