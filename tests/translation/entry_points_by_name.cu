#include <cuda.h>
#include <dlfcn.h>

typedef CUresult (*Allocate)(CUdeviceptr*, size_t);

Allocate load() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  void* found = nullptr;
  cuGetProcAddress("cuStreamCreate", &found, 11000, 0);
  const char* message = "cuMemAlloc is a name in a message";
  return reinterpret_cast<Allocate>(dlsym(library, "cuMemAlloc"));
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <dlfcn.h>

typedef hipError_t (*Allocate)(hipDeviceptr_t*, size_t);

Allocate load() {
  void* library = dlopen("libamdhip64.so", RTLD_NOW);
  void* found = nullptr;
  hipGetProcAddress("hipStreamCreateWithFlags", &found, 11000, 0, nullptr);
  const char* message = "cuMemAlloc is a name in a message";
  return reinterpret_cast<Allocate>(dlsym(library, "hipMalloc"));
}
// ---- findings ----
// 9 noted cuGetProcAddress
