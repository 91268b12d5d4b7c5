import os

os.environ["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64:" + os.environ.get("LD_LIBRARY_PATH", "")
os.environ.setdefault("CUDA_PATH", "/usr/local/cuda")
# output
3 works-as-is: os.environ["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64:" + os.environ.get("LD_LIBRARY_PATH", "")
4 works-as-is: os.environ.setdefault("CUDA_PATH", "/usr/local/cuda")
