// asm("mov.u32 %0, %laneid;")
__device__ unsigned lane() {
#ifdef __HIP_PLATFORM_AMD__
  return __lane_id();
#else
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
#endif
}
const char *listing = "asm(\"mov.u32 %0, %laneid;\")";
# output
