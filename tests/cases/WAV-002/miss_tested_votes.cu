__device__ int any_of(int p, unsigned long long mask) { return (__ballot(p) & mask) != 0; }
__device__ int all_of(int p, unsigned long long mask) { return (__ballot(p) & mask) == mask; }
# output
