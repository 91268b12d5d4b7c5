#include <dlfcn.h>
void *driver() { return dlopen("libcuda.so.1", RTLD_NOW); }
void *management() { return ::dlopen("/usr/lib64/libnvidia-ml.so", RTLD_LAZY); }
# output
2 crash: "libcuda.so.1"
3 crash: "/usr/lib64/libnvidia-ml.so"
