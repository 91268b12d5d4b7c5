__device__ void sum(float *val) { for (uint8_t o = 16u; o >= 1u; o >>= 1u) *val += __shfl_down(*val, o, 32); }
__device__ void add(float *val) { for (std::size_t o = 16; o > 0; o = o / 2u) (*val) += val[o]; }
__device__ void low(float *val) { for (uint8_t o = 8u; o >= 1u; o >>= 1u) *val += __shfl_xor(*val, o); }
# output
