#include <nvml.h>

void probe(cudnnHandle_t handle) {
  nvmlInit_v2();
  cudnnSetStream(handle, nullptr);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL);
}
# output
1 build-fail: #include <nvml.h>
3 build-fail: cudnnHandle_t
6 build-fail: cuptiActivityEnable
