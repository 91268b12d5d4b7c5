#include <cuda_runtime.h>
#define cudaCheckLast() cudaCheckHere(__FILE__, __LINE__)

static inline void cudaCheckHere(const char *file, int line) { cudaGetLastError(); }
cudaError_t
cudaGraphTidy(cudaGraph_t graph) {
  cudaCheckLast();
  return cudaGraphDestroy(graph);
}
struct Driver { int (*cuMemShiny)(int); };
int run(Driver &driver, cudaGraph_t graph) {
  mylib::cudaMemEverything(graph);
  cudaGraphTidy(graph);
  return driver.cuMemShiny(1);
}
# output
