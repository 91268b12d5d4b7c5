struct ClusterDims { int x; }; // __cluster_dims__
void start(cudaLaunchAttribute *attribute, ClusterDims cudaCluster) {
  attribute[0].id = cudaLaunchAttributeCooperative;
  attribute[1].id = cudaLaunchAttributePriority;
}
const char *text = "cuTensorMapEncodeTiled";
# output
