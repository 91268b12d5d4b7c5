#ifdef USE_ROCM
#include <hipblas/hipblas.h>
#include <rccl/rccl.h>
#else
#include <cublas_v2.h>
#include <nccl.h>
#endif
# output
