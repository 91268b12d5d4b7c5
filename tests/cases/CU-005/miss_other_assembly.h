static inline void barrier() { asm volatile("" ::: "memory"); }
static inline void pause() { asm volatile("pause"); }
static inline void arm(float *p) { asm volatile("ld1 {v0.4s}, [%0]\n fmla v1.4s, v0.4s, v0.4s\n b.ne 1b" ::"r"(p)); }
static inline void riscv() { asm volatile("fence.i\n vle32.v v0, (%0)\n mov.m.x m0, x0"); }
__device__ inline void amd() { asm volatile("s_waitcnt vmcnt(0)\n v_mov_b32 v0, v1"); }
# output
