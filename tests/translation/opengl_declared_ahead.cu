// A header that knows nothing of CUDA but the name.
class cudaGraphicsResource;
struct cudaGraphicsResource;
struct cudaExternalMemoryHandleDesc;

class Mesh {
  cudaGraphicsResource* vertices;
  class cudaGraphicsResource* normals;
};

#include <cuda_runtime.h>

void import(cudaExternalMemory_t* memory, const struct cudaExternalMemoryHandleDesc* handle, struct cudaLaunchParams* all) {
  cudaImportExternalMemory(memory, handle);
  all[0].sharedMem = 0;
}
// ---- HIP ----
// A header that knows nothing of CUDA but the name.
typedef struct _hipGraphicsResource hipGraphicsResource;
typedef struct _hipGraphicsResource hipGraphicsResource;
typedef struct hipExternalMemoryHandleDesc_st hipExternalMemoryHandleDesc;

class Mesh {
  hipGraphicsResource* vertices;
  hipGraphicsResource* normals;
};

#include <hip/hip_runtime.h>

void import(hipExternalMemory_t* memory, const hipExternalMemoryHandleDesc* handle, hipLaunchParams* all) {
  hipImportExternalMemory(memory, handle);
  all[0].sharedMem = 0;
}
