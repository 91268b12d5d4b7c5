// The library is opened elsewhere: what its functions are called now is said.
#include <cuda.h>
#include <dlfcn.h>

typedef CUresult (*init_t)(unsigned);
init_t find_init(void *library) { return (init_t)dlsym(library, "cuInit"); }
// ---- HIP ----
// The library is opened elsewhere: what its functions are called now is said.
#include <hip/hip_runtime.h>
#include <dlfcn.h>

typedef hipError_t (*init_t)(unsigned);
init_t find_init(void *library) { return (init_t)dlsym(library, "hipInit"); }
// ---- findings ----
// 6 noted cuInit
