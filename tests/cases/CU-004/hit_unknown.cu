#include <cuda_runtime.h>

void later(cudaGraph_t graph) {
  cudaGraphPaintNodesBlue(graph, 3);
  cudaFrobnicate(graph);
  cublasSgemmQuantum(0);
}
# output
4 build-fail: cudaGraphPaintNodesBlue
5 info: cudaFrobnicate
6 build-fail: cublasSgemmQuantum
