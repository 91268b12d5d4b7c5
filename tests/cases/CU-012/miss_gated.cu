#ifndef USE_ROCM
#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>
#endif
int reduce = 0;
namespace mine { int memcpy_async(int); }
int call() { return mine::memcpy_async(reduce); }
# output
