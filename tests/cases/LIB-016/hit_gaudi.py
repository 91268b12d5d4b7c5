from deepspeed.ops.op_builder import GDSBuilder

handle = GDSBuilder().load()
# output
target: gaudi
3 build-fail: GDSBuilder().load
