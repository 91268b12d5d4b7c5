struct coalesced_group { unsigned size() const { return 1; } };
inline coalesced_group coalesced_threads() { return {}; }
inline coalesced_group* coalesced_threads();
__global__ void k(int* out) { out[0] = 1; }
# output
