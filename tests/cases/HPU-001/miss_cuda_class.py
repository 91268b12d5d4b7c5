import torch


class CudaPlatform:
    def wait(self):
        torch.cuda.synchronize()
# output
target: gaudi
6 info: torch.cuda.synchronize
