import torch
from setuptools import setup

if torch.version.cuda is None:
    raise RuntimeError("an NVIDIA GPU is needed")
setup(name="a")
# output
path: setup.py
5 build-fail:     raise RuntimeError("an NVIDIA GPU is needed")
