import os
from setuptools import setup

os.environ["CC"] = "g++"
os.environ["CXX"] = "/usr/bin/g++-11"
setup(name="x")
# output
path: setup.py
4 info: os.environ["CC"] = "g++"
5 info: os.environ["CXX"] = "/usr/bin/g++-11"
