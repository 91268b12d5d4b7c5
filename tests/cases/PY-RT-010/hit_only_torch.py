import multiprocessing

import torch

ctx = multiprocessing.get_context("fork")
model = torch.nn.Linear(2, 2)
# output
5 info: multiprocessing.get_context("fork")
