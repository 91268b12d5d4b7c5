#include <cuda.h>

int launch(const char* file, float* host, size_t bytes) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUdeviceptr memory;
  CUstream stream;
  CUresult status = cuInit(0);
  if (status != CUDA_SUCCESS) return 1;
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  cuModuleLoad(&module, file);
  cuModuleGetFunction(&function, module, "kernel");
  cuMemAlloc(&memory, bytes);
  cuMemcpyHtoD(memory, host, bytes);
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  void* arguments[] = {&memory};
  cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr);
  cuStreamSynchronize(stream);
  cuMemcpyDtoH(host, memory, bytes);
  cuMemFree(memory);
  cuModuleUnload(module);
  cuDevicePrimaryCtxRelease(device);
  const char* words;
  cuGetErrorString(status, &words);
  return 0;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

int launch(const char* file, float* host, size_t bytes) {
  hipDevice_t device;
  hipCtx_t context;
  hipModule_t module;
  hipFunction_t function;
  hipDeviceptr_t memory;
  hipStream_t stream;
  hipError_t status = hipInit(0);
  if (status != hipSuccess) return 1;
  hipDeviceGet(&device, 0);
  hipDevicePrimaryCtxRetain(&context, device);
  hipCtxSetCurrent(context);
  hipModuleLoad(&module, file);
  hipModuleGetFunction(&function, module, "kernel");
  hipMalloc(&memory, bytes);
  hipMemcpyHtoD(memory, host, bytes);
  hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
  void* arguments[] = {&memory};
  hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, nullptr);
  hipStreamSynchronize(stream);
  hipMemcpyDtoH(host, memory, bytes);
  hipFree(memory);
  hipModuleUnload(module);
  hipDevicePrimaryCtxRelease(device);
  const char* words;
  hipDrvGetErrorString(status, &words);
  return 0;
}
// ---- findings ----
// 14 noted cuCtxSetCurrent
// 15 noted cuModuleLoad
