export HIP_PLATFORM=nvidia
# output
path: scripts/build_nvidia.sh
