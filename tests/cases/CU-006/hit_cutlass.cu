#include "cutlass/gemm/device/gemm.h"
#include <cute/tensor.hpp>

using Gemm = cutlass::gemm::device::Gemm<float, cutlass::layout::RowMajor, float, cutlass::layout::RowMajor, float>;
# output
1 build-fail: #include "cutlass/gemm/device/gemm.h"
