import torch
from setuptools import setup

base = "1.0"
if torch.version.hip:
    version = base + "+rocm" + torch.version.hip[:3]
else:
    version = f"{base}+cu{torch.version.cuda}"
setup(name="x", version=version)
# output
path: setup.py
