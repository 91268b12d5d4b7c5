__device__ unsigned a() { unsigned lane; asm("mov.u32 %0, %%laneid;" : "=r"(lane)); return lane; }
__device__ unsigned b() { unsigned m; asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m)); return m; }
__device__ unsigned c() { unsigned m; asm volatile("mov.u32 %0, %lanemask_ge;" : "=r"(m)); return m; }
__device__ unsigned d() { unsigned w; asm("mov.u32 %0, %%warpid;" : "=r"(w)); return w; }
__device__ unsigned e() { unsigned w; asm("mov.u32 %0, %%nwarpid;" : "=r"(w)); return w; }
__device__ unsigned f() { unsigned m; asm("mov.u32 %0, %%lanemask_eq;" : "=r"(m)); return m; }
__device__ unsigned g() { unsigned m; __asm__("mov.u32 %0, %%lanemask_le;" : "=r"(m)); return m; }
# output
1 build-fail: "mov.u32 %0, %%laneid;"
2 build-fail: "mov.u32 %0, %%lanemask_lt;"
3 build-fail: "mov.u32 %0, %lanemask_ge;"
4 build-fail: "mov.u32 %0, %%warpid;"
5 build-fail: "mov.u32 %0, %%nwarpid;"
6 build-fail: "mov.u32 %0, %%lanemask_eq;"
7 build-fail: "mov.u32 %0, %%lanemask_le;"
