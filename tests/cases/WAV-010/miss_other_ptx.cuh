__device__ float a(float x) { float y; asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
__device__ int b(int x) { int y; asm("mad.lo.s32 %0, %1, %1, 3;" : "=r"(y) : "r"(x)); return y; }
__device__ unsigned c() { unsigned s; asm("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ long d() { long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ int e(const int *p) { int v; asm("ld.global.cg.s32 %0, [%1];" : "=r"(v) : "l"(p)); return v; }
__device__ void f() { asm volatile("membar.gl;"); }
__device__ unsigned g(unsigned a, unsigned b) { unsigned r; asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(r) : "r"(a), "r"(b)); return r; }
# output
