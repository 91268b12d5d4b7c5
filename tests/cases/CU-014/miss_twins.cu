#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <math_constants.h>
// #include "device_launch_parameters.h"
const char *name = "nvjpeg.h";
# output
