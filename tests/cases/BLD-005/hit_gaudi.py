from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="ops",
    ext_modules=[CUDAExtension("ops", ["ops.cpp", "ops_kernel.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
# output
target: gaudi
6 build-fail: CUDAExtension
