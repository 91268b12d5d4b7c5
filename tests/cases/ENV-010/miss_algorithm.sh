export NCCL_ALGO=Ring,NVLS
# output
1 works-as-is: NCCL_ALGO=Ring,NVLS
