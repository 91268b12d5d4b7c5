import torch

if torch.version.hip is None:
    import kvikio

    f = torch.cuda.gds.GdsFile("w.bin", 0)
# output
