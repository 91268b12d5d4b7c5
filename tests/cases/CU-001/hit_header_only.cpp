#include <vector>
#include <cuda_runtime_api.h>
#include <cuda_fp16.h>

std::vector<int> ids();
# output
2 build-fail: #include <cuda_runtime_api.h>
