import torch
import transformer_engine.pytorch as te


def run(x):
    return te.Linear(8, 8)(x)
# output
2 info: import transformer_engine.pytorch as te
