#include <nccl.h>

ncclResult_t all_reduce(float* data, size_t count, int ranks, int rank, ncclUniqueId id, cudaStream_t stream) {
  ncclComm_t communicator;
  if (ncclCommInitRank(&communicator, ranks, id, rank) != ncclSuccess) return ncclSystemError;
  ncclGroupStart();
  ncclAllReduce(data, data, count, ncclFloat32, ncclSum, communicator, stream);
  ncclBroadcast(data, data, count, ncclFloat, 0, communicator, stream);
  ncclGroupEnd();
  cudaStreamSynchronize(stream);
  return ncclCommDestroy(communicator);
}
// ---- HIP ----
#include <hip/hip_runtime.h>
#include <rccl/rccl.h>

ncclResult_t all_reduce(float* data, size_t count, int ranks, int rank, ncclUniqueId id, hipStream_t stream) {
  ncclComm_t communicator;
  if (ncclCommInitRank(&communicator, ranks, id, rank) != ncclSuccess) return ncclSystemError;
  ncclGroupStart();
  ncclAllReduce(data, data, count, ncclFloat32, ncclSum, communicator, stream);
  ncclBroadcast(data, data, count, ncclFloat, 0, communicator, stream);
  ncclGroupEnd();
  hipStreamSynchronize(stream);
  return ncclCommDestroy(communicator);
}
