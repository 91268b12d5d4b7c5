export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512
export PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512
# output
2 works-as-is: PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512
