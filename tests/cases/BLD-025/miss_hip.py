import torch
from setuptools import setup

if torch.version.cuda is None and torch.version.hip is None:
    raise RuntimeError("a GPU is needed")
setup(name="a")
# output
path: setup.py
