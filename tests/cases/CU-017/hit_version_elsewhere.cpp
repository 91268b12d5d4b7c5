#include <hip/hip_runtime.h>

bool on_device(const void* pointer) {
  hipPointerAttribute_t attributes;
  hipPointerGetAttributes(&attributes, pointer);
#if (HIP_VERSION_MAJOR >= 6)
  return attributes.type == hipMemoryTypeDevice;
#else
  return attributes.memoryType == hipMemoryTypeDevice;
#endif
}

#if HIP_VERSION_MAJOR >= 5
int five() { return 5; }
#endif

int architecture(hipDeviceProp_t* properties) {
  return properties->gcnArch;
}
# output
18 build-fail: gcnArch
