const char *help = "mov.u32 %0, %%laneid; reads the lane";
void say() { printf("warpid: %d of vote.sync.ballot.b32", 1); }
#ifndef __HIP_PLATFORM_AMD__
__device__ unsigned lane() { unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }
#else
__device__ unsigned lane() { return __lane_id(); }
#endif
__device__ unsigned other() { return lane() % 4; }
# output
