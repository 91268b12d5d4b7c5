from deepspeed.ops.op_builder import GDSBuilder
from deepspeed.ops.op_builder import EvoformerAttnBuilder as E
from deepspeed.ops import op_builder

handle = GDSBuilder().load().gds_handle()
builder = E()
kernel = builder.load()
cutlass = op_builder.InferenceCutlassBuilder().load()
# output
5 build-fail: GDSBuilder().load
7 build-fail: builder.load
8 build-fail: op_builder.InferenceCutlassBuilder().load
