"""PyTorch code: detection, versions, capabilities, back ends, compile, graphs, memory, run time."""
