__global__ void __cluster_dims__(2, 1, 1) pair(float *x) { cudaGridDependencySynchronize(); }

void start(cudaLaunchAttribute *attribute) {
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
}
# output
1 build-fail: __cluster_dims__
1 build-fail: cudaGridDependencySynchronize
