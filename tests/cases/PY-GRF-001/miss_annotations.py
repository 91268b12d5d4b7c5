import torch
from mylib import CUDAGraph


class Entry:
    graph: torch.cuda.CUDAGraph | None = None


def is_graph(x):
    """Wraps torch.cuda.CUDAGraph()."""
    return isinstance(x, torch.cuda.CUDAGraph)


g = CUDAGraph()
# output
