#ifndef USE_ROCM
#include <NvInfer.h>
#endif
# output
