template <typename T>
__device__ T total(T v, unsigned mask = 0xffffffff) { return v + __shfl_xor_sync(mask, v, 1, 32); }
__device__ bool both(bool a, bool b, unsigned int mask) { return __all_sync(mask, a) && b; }
__device__ bool handed_on(bool p, unsigned mask) { return both(p, p, mask); }
__global__ void k(float* out) {
  out[0] = total(out[threadIdx.x], 0xffffffffu) + both(true, out[1] > 0, ~0u);
  out[1] = total<float>(out[2], -1) + handed_on(out[3] > 0, 0xffffffff);
}
# output
2 build-fail: unsigned mask
3 build-fail: unsigned int mask
4 build-fail: unsigned mask
6 build-fail: 0xffffffffu
7 build-fail: -1
