__device__ inline unsigned __vadd2(unsigned a, unsigned b) { return (a + b) & 0xffffu; }
__device__ unsigned twice(unsigned a) { return __vadd2(a, a); }
#define __trap() abort()
__device__ void stop() { __trap(); }
# output
