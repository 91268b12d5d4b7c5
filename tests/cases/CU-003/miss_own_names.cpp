#include "cub.h"
#include "my/curand.hpp"

// #include <cufft.h>
static int cublasCheck(int status) { return status; }
int ncube = 3, cub = 1, thrust = 2;
int total() { return cublasCheck(cub + thrust); }
const char *help = "needs NCCL_DEBUG and nvml";
# output
