#if defined(__HIP_PLATFORM_HCC__) || defined(__HIP_PLATFORM_AMD__)
#include <hip/hip_runtime.h>
#endif
// __HIP_PLATFORM_NVCC__ was another
# output
