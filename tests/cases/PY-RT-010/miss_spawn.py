import torch
import torch.multiprocessing as mp

mp.set_start_method("spawn")
ctx = mp.get_context("fork" if torch.version.cuda else "spawn")
torch.cuda.init()
# output
