// compile: no, AMD has none of these libraries in this form
#include <cufile.h>
#include <cupti.h>
#include <cutensor.h>
#include <npp.h>

void use(int file) {
  CUfileDescr_t description = {};
  cuFileDriverOpen();
  cutensorHandle_t handle;
  cutensorCreate(&handle);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL);
  nppiAddC_8u_C1RSfs(nullptr, 0, 1, nullptr, 0, {1, 1}, 0);
}
// ---- unchanged ----
// ---- findings ----
// 1 unsupported cufile.h
// 2 unsupported cupti.h
// 3 unsupported cutensor.h
// 4 unsupported npp.h
// 7 unsupported CUfileDescr_t
// 8 unsupported cuFileDriverOpen
// 9 unsupported cutensorHandle_t
// 10 unsupported cutensorCreate
// 11 unsupported cuptiActivityEnable
// 11 unsupported CUPTI_ACTIVITY_KIND_KERNEL
// 12 unsupported nppiAddC_8u_C1RSfs
