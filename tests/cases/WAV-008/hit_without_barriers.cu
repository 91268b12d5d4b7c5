__global__ void warp_min(float *s) { int tid = threadIdx.x; if (tid < 32) { s[tid] = min(s[tid], s[tid + 16]); s[tid] = min(s[tid], s[tid + 8]); } }
__global__ void last_warp(double *s) { unsigned int tid = threadIdx.x; if (threadIdx.x < 32) { s[tid] *= s[tid + 32]; s[tid] *= s[tid + 16]; } }
template <typename T> __device__ void warp_tail(T *s, unsigned idx) { if (idx < 32) { s[idx] += s[idx + 32]; s[idx] += s[idx + 16]; } }
# output
1 wrong-result: s[tid] = min(s[tid], s[tid + 16]
2 wrong-result: s[tid] *= s[tid + 32]
3 wrong-result: s[idx] += s[idx + 32]
