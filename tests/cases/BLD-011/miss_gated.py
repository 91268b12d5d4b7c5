import os
import torch
from setuptools import setup

if torch.version.hip is None:
    include = os.path.join("csrc", "cutlass", "include")
print("cutlass is not needed")
name = "cutlass"
data = {"package_data": ["third_party/cutlass/include/**/*.h"]}
setup(name="my-cutlass-free-package")
# output
path: setup.py
