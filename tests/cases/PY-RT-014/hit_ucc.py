import torch.distributed as dist

dist.init_process_group("ucc")
dist.init_process_group(backend="mpi")
# output
3 crash: dist.init_process_group("ucc")
4 crash: dist.init_process_group(backend="mpi")
