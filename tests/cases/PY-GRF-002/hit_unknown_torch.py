import torch
from torch.cuda import get_rng_state


def capture(step, stream):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream), torch.cuda.graph(g):
        if step:
            saved = get_rng_state()
        step()
    return g, saved
# output
9 info: get_rng_state()
