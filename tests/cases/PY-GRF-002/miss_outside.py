import torch
from torch.utils.checkpoint import checkpoint

state = torch.cuda.get_rng_state()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):

    def hook():
        return torch.cuda.get_rng_state()

    y = checkpoint(torch.nn.Linear(8, 8), torch.ones(8), preserve_rng_state=False)
torch.cuda.set_rng_state(state)
# output
torch: 2.9
