#include <cuda.h>

void share(CUmulticastObjectProp *properties) {
  CUmemGenericAllocationHandle handle;
  cuMulticastCreate(&handle, properties);
  cuGreenCtxDestroy(nullptr);
}
# output
3 build-fail: CUmulticastObjectProp
5 build-fail: cuMulticastCreate
6 build-fail: cuGreenCtxDestroy
