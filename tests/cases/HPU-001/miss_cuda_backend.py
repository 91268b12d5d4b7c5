import torch


def wait(stream):
    torch.cuda.current_stream().wait_stream(stream)
# output
path: engine/backends/cuda/streams.py
target: gaudi
5 info: torch.cuda.current_stream
