import torch
from torch.utils.checkpoint import checkpoint

g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    state = torch.cuda.get_rng_state()
    y = checkpoint(torch.nn.Linear(8, 8), torch.ones(8), use_reentrant=False)
    torch.cuda.set_rng_state(state)
# output
torch: 2.9
6 crash: torch.cuda.get_rng_state()
7 crash: checkpoint(torch.nn.Linear(8, 8), torch.ones(8), use_reentrant=False)
8 crash: torch.cuda.set_rng_state(state)
