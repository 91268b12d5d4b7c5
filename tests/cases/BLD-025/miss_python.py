import sys

from setuptools import setup

if sys.version_info < (3, 8):
    raise RuntimeError("Python 3.8 is needed")
setup(name="a")
# output
path: setup.py
