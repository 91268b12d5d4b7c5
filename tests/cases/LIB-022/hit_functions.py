import torch
import torch as t


def eigenvalues(a):
    values, vectors = torch.symeig(a, eigenvectors=True)
    return t.solve(values, vectors), torch.fft(a, 1)
# output
6 crash: torch.symeig
7 crash: t.solve
7 crash: torch.fft
