import transformer_engine.pytorch as te
from transformer_engine.common.recipe import DelayedScaling
# output
1 crash: import transformer_engine.pytorch as te
2 crash: from transformer_engine.common.recipe import DelayedScaling
