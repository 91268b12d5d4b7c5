// compile: no, amd-smi has another interface than NVML
#include <nvml.h>

unsigned power(unsigned index) {
  nvmlDevice_t device;
  unsigned milliwatts = 0;
  if (nvmlInit() != NVML_SUCCESS) return 0;
  nvmlDeviceGetHandleByIndex(index, &device);
  nvmlDeviceGetPowerUsage(device, &milliwatts);
  nvmlShutdown();
  return milliwatts;
}
// ---- unchanged ----
// ---- findings ----
// 1 unsupported nvml.h
// 4 unsupported nvmlDevice_t
// 6 unsupported nvmlInit
// 6 unsupported NVML_SUCCESS
// 7 unsupported nvmlDeviceGetHandleByIndex
// 8 unsupported nvmlDeviceGetPowerUsage
// 9 unsupported nvmlShutdown
