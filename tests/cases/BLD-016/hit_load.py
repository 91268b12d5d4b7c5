import torch.utils.cpp_extension as cpp

extra_cuda_cflags = ["-O3", "-lineinfo"]
extra_cuda_cflags += ["--expt-relaxed-constexpr"]
ops = cpp.load("ops", ["ops.cpp", "ops.cu"], extra_cuda_cflags=extra_cuda_cflags)
# output
3 info: "-lineinfo"
4 build-fail: "--expt-relaxed-constexpr"
5 works-as-is: cpp.load
