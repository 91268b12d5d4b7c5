#include <cuda_runtime.h>
#include "nvgraph.h"

nvgraphStatus_t shortest(nvgraphHandle_t handle, nvgraphGraphDescr_t graph, int *source) {
    return nvgraphSssp(handle, graph, 0, source, 0);
}
# output
2 build-fail: #include "nvgraph.h"
