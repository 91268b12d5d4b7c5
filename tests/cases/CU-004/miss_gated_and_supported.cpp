#include <cuda.h>
#ifndef USE_ROCM
void share(CUmulticastObjectProp *p) { CUmemGenericAllocationHandle h; cuMulticastCreate(&h, p); }
#endif
void plain() { cuInit(0); cudaDeviceSynchronize(); } // cuMulticastCreate(&h, p)
const char *text = "cudaGraphPaintNodesBlue(graph)";
# output
