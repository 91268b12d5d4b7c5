import os
import torch
from setuptools import setup

if not torch.version.hip:
    os.environ["CC"] = "g++"
os.environ["CXX"] = "icpx"
os.environ["CFLAGS"] = "gcc"
setup(name="x")
# output
path: setup.py
