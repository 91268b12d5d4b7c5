import torch
from setuptools import setup

cuda = torch.version.cuda
setup(name="x", version=f"1.2.0+cu{cuda}")
# output
path: setup.py
5 build-fail: f"1.2.0+cu{cuda}"
