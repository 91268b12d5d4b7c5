#ifndef __HIP_PLATFORM_HCC__
#define __HIP_PLATFORM_HCC__
#endif

#include <hip/hip_runtime.h>
# output
1 build-fail: __HIP_PLATFORM_HCC__
