static const int WS = 32;
#define LW 32
const unsigned kGroup = 32;
__global__ void a(int *x) { int l = threadIdx.x % WS; if (__any(x[l])) x[0] = 1; }
__global__ void b(int *x) { int w = threadIdx.x / LW; x[w] = __popcll(__ballot(x[threadIdx.x])); }
__global__ void c(int *x) { if (threadIdx.x % kGroup == 0) x[0] = __shfl_down(x[1], 1); }
# output
1 wrong-result: WS = 32
2 wrong-result: #define LW 32
3 wrong-result: kGroup = 32
