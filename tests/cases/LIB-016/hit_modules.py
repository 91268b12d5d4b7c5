from deepspeed.ops.deepspeed4science import DS4Sci_EvoformerAttention
import deepspeed.ops.sparse_attention as sa
# output
1 build-fail: from deepspeed.ops.deepspeed4science import DS4Sci_EvoformerAttention
2 build-fail: import deepspeed.ops.sparse_attention as sa
