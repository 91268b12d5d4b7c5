import os
from setuptools import setup

if os.path.isdir("/usr/local/cuda"):
    print("see /usr/local/cuda for the toolkit")
root = os.environ["ROCM_PATH"]
text = "my/usr/local/cuda"
setup(name="x", description="docs in /opt/rocm")
# output
path: setup.py
