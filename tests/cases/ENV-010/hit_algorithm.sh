export NCCL_ALGO=NVLS
export NCCL_DEBUG=INFO
# output
1 crash: NCCL_ALGO=NVLS
2 works-as-is: NCCL_DEBUG=INFO
