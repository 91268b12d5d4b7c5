export HIP_PLATFORM = amd
ifeq ($(GPU_RUNTIME), CUDA)
export HIP_PLATFORM = nvidia
endif
# output
