from os import environ
from torch.utils import cpp_extension

environ.setdefault("CXX", "g++")
environ.update({"CXX": "x86_64-linux-gnu-g++"})
cpp_extension.load("x", ["x.cpp"])
# output
4 info: environ.setdefault("CXX", "g++")
5 info: "CXX"
