__device__ void sum(float *val) { for (uint8_t o = 16u; o >= 1u; o >>= 1u) *val += __shfl_down(*val, o); }
__device__ void high(double *val) { for (std::size_t o = 16; o > 0; o = o / 2u) (*val) += __shfl_xor(*val, o); }
__device__ int low(int v) { for (long o = 1; o < 32; o = o << 1u) v = min(v, __shfl_up(v, o)); return v; }
# output
1 wrong-result: for (uint8_t o = 16u; o >= 1u; o >>= 1u)
2 wrong-result: for (std::size_t o = 16; o > 0; o = o / 2u)
3 wrong-result: for (long o = 1; o < 32; o = o << 1u)
