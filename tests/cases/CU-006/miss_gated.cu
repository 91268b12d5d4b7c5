#if !defined(USE_ROCM)
#include <cutlass/cutlass.h>
using half_type = cutlass::half_t;
#else
using half_type = _Float16;
#endif
# output
