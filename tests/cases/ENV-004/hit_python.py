import os

os.environ.update({"PYTORCH_CUDA_ALLOC_CONF": "a:1", "PYTORCH_HIP_ALLOC_CONF": "a:1"})
# output
3 works-as-is: "PYTORCH_HIP_ALLOC_CONF"
