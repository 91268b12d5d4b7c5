export PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512
# PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:512
# output
