#ifndef USE_ROCM
#include <cuda_runtime.h>
#endif
#include "cuda/utils.h"
int ids();
# output
