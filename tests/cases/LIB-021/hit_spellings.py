from torch.utils import ffi
import poptorch
from optimum.graphcore import IPUConfig

try:
    import torch_neuronx
except ImportError:
    torch_neuronx = None
# output
1 crash: from torch.utils import ffi
2 crash: import poptorch
3 crash: from optimum.graphcore import IPUConfig
6 info: import torch_neuronx
