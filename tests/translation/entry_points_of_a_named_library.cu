// The library has its name in a variable, an array and a macro: where functions get HIP's names, it does too.
#include <cuda.h>
#include <dlfcn.h>

#define DRIVER "libcuda.so.1"
static const char *const candidates[] = {"libcuda.so", "libcudart.so.12", "nvcuda.dll", "cudart64_110.dll"};
static const char *const help = "install libcuda.so or set the path";

typedef CUresult (*init_t)(unsigned);

init_t find_init() {
  void *library = dlopen(DRIVER, RTLD_LAZY);
  for (const char *name : candidates)
    if (!library) library = dlopen(name, RTLD_LAZY);
  return (init_t)dlsym(library, "cuInit");
}
// ---- HIP ----
// The library has its name in a variable, an array and a macro: where functions get HIP's names, it does too.
#include <hip/hip_runtime.h>
#include <dlfcn.h>

#define DRIVER "libamdhip64.so"
static const char *const candidates[] = {"libamdhip64.so", "libamdhip64.so", "amdhip64.dll", "amdhip64.dll"};
static const char *const help = "install libcuda.so or set the path";

typedef hipError_t (*init_t)(unsigned);

init_t find_init() {
  void *library = dlopen(DRIVER, RTLD_LAZY);
  for (const char *name : candidates)
    if (!library) library = dlopen(name, RTLD_LAZY);
  return (init_t)dlsym(library, "hipInit");
}
