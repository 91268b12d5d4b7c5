import torch
from mylib import graph

with graph("plot"):
    state = torch.cuda.get_rng_state()
with torch.random.fork_rng():
    torch.cuda.set_rng_state(state)
# output
torch: 2.9
