from deepspeed.ops.op_builder import GDSBuilder, AsyncIOBuilder

if GDSBuilder().is_compatible(verbose=False):
    handle = GDSBuilder().load()
else:
    handle = AsyncIOBuilder().load()
# output
