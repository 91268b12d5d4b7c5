from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension

libraries = ["cublas", "m"]
libraries.append("nvrtc")
setup(
    ext_modules=[
        CUDAExtension("x", ["x.cu"], libraries=libraries),
        CUDAExtension("y", ["y.cu"], libraries=["cuda", "cufile", "pthread"]),
    ]
)
# output
path: setup.py
4 build-fail: "cublas"
5 build-fail: "nvrtc"
9 build-fail: "cuda"
9 build-fail: "cufile"
