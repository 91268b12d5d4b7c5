find_package(NCCL REQUIRED)
# output
1 build-fail: find_package(NCCL REQUIRED)
