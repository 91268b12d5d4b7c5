import os

os.environ["TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"] = "1"
# output
3 works-as-is: os.environ["TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"] = "1"
