#include <nvtx3/nvToolsExt.h>

struct Range {
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
};

void traced() {
  Range range("traced");
  nvtxMarkA("here");
  nvtxRangeId_t id = nvtxRangeStartA("long");
  nvtxRangeEnd(id);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <roctracer/roctx.h>

struct Range {
  explicit Range(const char* name) { roctxRangePushA(name); }
  ~Range() { roctxRangePop(); }
};

void traced() {
  Range range("traced");
  roctxMarkA("here");
  roctx_range_id_t id = roctxRangeStartA("long");
  roctxRangeStop(id);
}
