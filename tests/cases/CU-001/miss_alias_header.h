#pragma once
#include <hip/hip_runtime.h>
#define cudaMalloc hipMalloc
#define cudaFree hipFree
#define cudaStream_t hipStream_t
const char *kHelp = "call cudaMalloc first"; /* cudaDeviceReset */
int cuda_devices = 0;
# output
