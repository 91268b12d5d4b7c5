import numpy as np
import torch
from torch import fft
from torch.utils.data.dataloader import default_collate

spectrum = torch.fft.rfft(torch.ones(4))
values = torch.linalg.eigh(torch.eye(3))
other = np.linalg.solve(np.eye(2), np.ones(2))
again = fft.irfft(spectrum)


class Solver:
    def symeig(self, a):
        return torch.linalg.eigh(a)


Solver().symeig(torch.eye(2))
# output
