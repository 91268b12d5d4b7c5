__device__ __forceinline__ unsigned lane() {
  unsigned id;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__device__ unsigned mix(unsigned a, unsigned b) {
  unsigned d;
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(d) : "r"(a), "r"(b));
  asm("trap;");
  return d;
}
# output
3 build-fail: asm volatile("mov.u32 %0, %%laneid;" : "=r"(id))
9 build-fail: asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(d) : "r"(a), "r"(b))
10 build-fail: asm("trap;")
