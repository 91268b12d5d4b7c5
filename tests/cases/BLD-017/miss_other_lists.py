from setuptools import setup

backends = ["cuda", "cpu"]
packages = ["cublas"]
text = "link with -lcublas"
print("-lcudart")
setup(name="x", keywords=["cuda", "cudnn"], libraries=["cudasim", "z"])
# output
path: setup.py
