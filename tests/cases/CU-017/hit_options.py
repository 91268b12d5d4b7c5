from setuptools import Extension, setup

flags = ["-O3", "-D__HIP_PLATFORM_HCC__=1", "-fPIC"]
setup(ext_modules=[Extension("a", ["a.cpp"], extra_compile_args=flags)])
# output
3 build-fail: "-D__HIP_PLATFORM_HCC__=1"
