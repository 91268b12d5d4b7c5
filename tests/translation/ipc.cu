#include <cuda_runtime.h>

void share(void* memory, cudaEvent_t event, cudaIpcMemHandle_t* for_memory, cudaIpcEventHandle_t* for_event) {
  cudaIpcGetMemHandle(for_memory, memory);
  cudaIpcGetEventHandle(for_event, event);
}

void* open(cudaIpcMemHandle_t handle) {
  void* memory = nullptr;
  if (cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) return nullptr;
  cudaIpcCloseMemHandle(memory);
  return memory;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

void share(void* memory, hipEvent_t event, hipIpcMemHandle_t* for_memory, hipIpcEventHandle_t* for_event) {
  hipIpcGetMemHandle(for_memory, memory);
  hipIpcGetEventHandle(for_event, event);
}

void* open(hipIpcMemHandle_t handle) {
  void* memory = nullptr;
  if (hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess) != hipSuccess) return nullptr;
  hipIpcCloseMemHandle(memory);
  return memory;
}
