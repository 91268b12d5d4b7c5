__device__ int a(int p) { return __popcll(__ballot(p)); }
__device__ int b(int p) { unsigned long long v = __ballot(p); return __ffsll(v) - 1; }
__device__ int c(int p, int lane) { uint64_t v = __ballot(p); return __popcll(v & ((1ull << lane) - 1)); }
__device__ bool d(int p) { return __ballot(p) == ~0ull; }
__device__ bool e(int p) { return __ballot(p) != 0; }
__device__ bool f(int p) { int any = __ballot(p) != 0; return any; }
__device__ bool g(int p) { auto v = __ballot(p); return v >> 63; }
__device__ unsigned long long h(int p) { return __ballot(p); }
__device__ int i(int p) { int count = __popcll(__ballot(p)); return count; }
__device__ int j(int p, int lane) { return (__ballot(p) >> lane) & 1; }
__device__ bool k(int p) { bool leader = __ballot(p) & 1; return leader; }
# output
