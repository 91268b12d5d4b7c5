__global__ void g(float *x, int laneIdx) { __shared__ double best[32]; best[laneIdx] = __shfl_down(x[0], 1); x[0] = best[0]; }
__global__ void h(int *x) { __shared__ int first[32]; const int lane = __lane_id(); first[lane] = x[threadIdx.x]; x[0] = __popcll(__ballot(first[lane])); }
__global__ void i(int *x) { __shared__ unsigned short s[32]; int lane = threadIdx.x & (warpSize - 1); s[lane] = __shfl(x[lane], 0); x[0] = s[lane]; }
__global__ void j(int4 *x, int lane) { __shared__ int4 queue[32]; queue[lane] = x[threadIdx.x]; __syncwarp(); x[0] = queue[lane]; }
# output
1 crash: __shared__ double best[32]
2 crash: __shared__ int first[32]
3 crash: __shared__ unsigned short s[32]
4 crash: __shared__ int4 queue[32]
