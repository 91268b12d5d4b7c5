from torch.utils.cpp_extension import load, load_inline

SOURCES = ["scan.cpp", "scan.cu"]
inline = load_inline("ops", cpp_sources="void run();", cuda_sources="__global__ void k() {}", extra_cuda_cflags=["-O3"])
scan = load(name="scan", sources=SOURCES)
# output
target: gaudi
4 crash: load_inline
5 crash: load
