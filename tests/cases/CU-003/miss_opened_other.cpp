#include <dlfcn.h>
#include "cudnn_helpers.h"
void *math() { return dlopen("libm.so.6", RTLD_NOW); }
const char *hint = "libcuda.so.1 was not found";
void say() { puts("libcudart.so"); }
#if defined(USE_ROCM)
void *run_time() { return dlopen("libamdhip64.so", RTLD_NOW); }
#else
void *run_time() { return dlopen("libcudart.so", RTLD_NOW); }
#endif
# output
