import os

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
os.environ["AMD_SERIALIZE_KERNEL"] = "3"
# output
