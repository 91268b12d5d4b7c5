__device__ int ones(unsigned word) { return __popc(word); }
__device__ int log2(unsigned n) { return 31 - __clz(n); }
__device__ bool test(const unsigned *set, int i) { return set[i >> 5] & (1u << (i & 31)); }
__device__ void mark(unsigned *set, int i) { atomicOr(&set[i / 32], 1u << (i % 32)); }
__device__ int lowest(unsigned free_slots) { return __ffs(free_slots) - 1; }
__device__ unsigned reversed(unsigned v) { return __brev(v) >> 16; }
__device__ int hamming(unsigned a, unsigned b) { return __popc(a ^ b); }
__device__ int next_power(int n) { return 1 << (32 - __clz(n - 1)); }
__global__ void nms(unsigned long long *mask) { unsigned long long t = 0; for (int i = 0; i < 64; i++) t |= 1ULL << i; mask[threadIdx.x] = t; }
__device__ int flag(int column) { return 1 << column; }
__device__ int genotype(const unsigned *a, const unsigned *b, int i) { return __popc(a[i] & b[i]); }
__device__ unsigned morton(unsigned x) { x = (x | (x << 8)) & 0x00ff00ff; return x; }
__global__ void bloom(unsigned *filter, unsigned h) { filter[(h >> 5) & 1023] |= 1u << (h & 31); }
__device__ int parity(unsigned word) { return __popc(word) & 1; }
__device__ int octet(unsigned lanes_of_road) { return 1 << (lanes_of_road >> 8); }
# output
