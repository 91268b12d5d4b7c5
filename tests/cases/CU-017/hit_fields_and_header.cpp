#include <hip/hcc_detail/hip_fp16.h>
#include <hip/hip_runtime.h>

bool on_device(const void* pointer) {
  hipPointerAttribute_t attributes;
  hipPointerGetAttributes(&attributes, pointer);
  return attributes.memoryType == hipMemoryTypeDevice;
}

int architecture(hipDeviceProp_t* properties) {
  return properties->gcnArch;
}
# output
1 build-fail: #include <hip/hcc_detail/hip_fp16.h>
7 build-fail: memoryType
11 build-fail: gcnArch
