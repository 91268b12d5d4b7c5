__device__ int ones(unsigned word, int v) { return __popc(word) + __shfl(v, 0); }
__device__ int rank(unsigned long long ballot, int lane) { return __popcll(ballot & ((1ull << lane) - 1)); }
__device__ unsigned flag(int level) { return 1u << level; }
# output
