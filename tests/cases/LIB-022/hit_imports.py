from torch._six import container_abcs, string_classes
import torch._six
from torch.utils.data.dataloader import _use_shared_memory, default_collate
from torch import symeig

if torch._six.PY37:
    size = symeig
# output
1 crash: from torch._six import container_abcs, string_classes
2 crash: import torch._six
3 crash: from torch.utils.data.dataloader import _use_shared_memory, default_collate
4 crash: from torch import symeig
