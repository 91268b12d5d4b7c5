from mybuild import CUDAExtension

module = CUDAExtension("pkg._C", ["a.cu"])
# output
path: setup.py
