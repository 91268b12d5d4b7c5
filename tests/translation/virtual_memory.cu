#include <cuda.h>

CUdeviceptr reserve(size_t wanted, int device) {
  CUmemAllocationProp property = {};
  property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  property.location.id = device;
  size_t granularity = 0;
  cuMemGetAllocationGranularity(&granularity, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  size_t size = (wanted + granularity - 1) / granularity * granularity;
  CUdeviceptr address = 0;
  CUmemGenericAllocationHandle handle;
  cuMemAddressReserve(&address, size, 0, 0, 0);
  cuMemCreate(&handle, size, &property, 0);
  cuMemMap(address, size, 0, handle, 0);
  CUmemAccessDesc access = {};
  access.location = property.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  cuMemSetAccess(address, size, &access, 1);
  cuMemUnmap(address, size);
  cuMemRelease(handle);
  cuMemAddressFree(address, size);
  return address;
}
// ---- HIP ----
#include <hip/hip_runtime.h>

hipDeviceptr_t reserve(size_t wanted, int device) {
  hipMemAllocationProp property = {};
  property.type = hipMemAllocationTypePinned;
  property.location.type = hipMemLocationTypeDevice;
  property.location.id = device;
  size_t granularity = 0;
  hipMemGetAllocationGranularity(&granularity, &property, hipMemAllocationGranularityMinimum);
  size_t size = (wanted + granularity - 1) / granularity * granularity;
  hipDeviceptr_t address = 0;
  hipMemGenericAllocationHandle_t handle;
  hipMemAddressReserve(&address, size, 0, 0, 0);
  hipMemCreate(&handle, size, &property, 0);
  hipMemMap(address, size, 0, handle, 0);
  hipMemAccessDesc access = {};
  access.location = property.location;
  access.flags = hipMemAccessFlagsProtReadWrite;
  hipMemSetAccess(address, size, &access, 1);
  hipMemUnmap(address, size);
  hipMemRelease(handle);
  hipMemAddressFree(address, size);
  return address;
}
