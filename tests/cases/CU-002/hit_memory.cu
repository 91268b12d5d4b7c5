#define CHECK(call) do { CUresult status = (call); if (status) abort(); } while (0)

void reserve(size_t bytes) {
  CUdeviceptr base;
  CHECK(cuMemAddressReserve(&base, bytes, 0, 0, 0));
}
# output
1 build-fail: CUresult
