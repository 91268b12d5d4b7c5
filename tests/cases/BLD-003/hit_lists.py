from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension


def with_threads(flags):
    return flags + ["--threads", "4"]


setup(
    name="ops",
    ext_modules=[
        CUDAExtension(
            "ops",
            ["a.cu"],
            extra_compile_args={
                "cxx": ["-O3", "-fopenmp"],
                "nvcc": with_threads(["-O3", "--use_fast_math", "-lineinfo", "--ptxas-options=-v"]),
            },
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
# output
path: setup.py
17 build-fail: "--use_fast_math"
17 info: "-lineinfo"
17 build-fail: "--ptxas-options=-v"
