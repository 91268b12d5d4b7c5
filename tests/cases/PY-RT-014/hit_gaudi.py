import torch

torch.distributed.init_process_group("mpi")
# output
target: gaudi
3 crash: torch.distributed.init_process_group("mpi")
