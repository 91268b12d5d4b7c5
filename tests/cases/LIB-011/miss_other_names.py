from .tensorrt import export
from mytools import tensorrt_helper

backend = "tensorrt"  # import tensorrt
# output
