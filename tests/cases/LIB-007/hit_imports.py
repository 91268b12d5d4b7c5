import transformer_engine.pytorch as te
from transformer_engine.common.recipe import DelayedScaling
# output
1 info: import transformer_engine.pytorch as te
2 info: from transformer_engine.common.recipe import DelayedScaling
