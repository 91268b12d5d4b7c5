constexpr int kWarps = 4;
__global__ void __launch_bounds__(kWarps * 32) a(int *x) { x[0] = __any(x[threadIdx.x]); }
__global__ __launch_bounds__(32 * kWarps, 2) void b(int *x) { x[0] = __any(x[threadIdx.x]); }
template <int WARPS> __global__ void __launch_bounds__(WARPS * 32) c(int *x) { x[0] = __all(x[threadIdx.x]); }
template <int NUM> __launch_bounds__(NUM * 32, 1) __global__ void d(float *x) { x[0] = __shfl(x[threadIdx.x], 0); }
# output
2 info: __launch_bounds__(kWarps * 32
3 info: __launch_bounds__(32 * kWarps
4 info: __launch_bounds__(WARPS * 32
5 info: __launch_bounds__(NUM * 32
