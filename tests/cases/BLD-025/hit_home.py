import sys

from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME

if CUDA_HOME is None:
    sys.exit("CUDA was not found")
setup(name="a")
# output
path: setup.py
7 build-fail:     sys.exit("CUDA was not found")
