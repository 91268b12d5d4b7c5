from deepspeed.ops.adam import FusedAdam, DeepSpeedCPUAdam
from deepspeed.ops.op_builder import AsyncIOBuilder, FusedAdamBuilder, GDSBuilder

aio = AsyncIOBuilder().load()
adam = FusedAdamBuilder().load()
name = GDSBuilder.NAME
# output
