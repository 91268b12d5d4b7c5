#include <hip/hip_runtime.h>

enum memoryType { host, device };

struct Buffer {
  int memoryType;
};

bool on_device(const hipPointerAttribute_t& attributes, memoryType wanted) {
  return attributes.type == hipMemoryTypeDevice && wanted == device;
}

int same(const Buffer& buffer, const hipDeviceProp_t& properties) {
  const char* gcnArch = properties.gcnArchName;
  return gcnArch[0];
}
# output
