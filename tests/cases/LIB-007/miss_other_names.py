from megatron.core.extensions import transformer_engine
from .transformer_engine import TELinear

impl = "transformer_engine"  # import transformer_engine
# output
