import tensorrt as trt
import torch_tensorrt
from torch2trt import torch2trt
from polygraphy.backend.trt import EngineFromNetwork
# output
1 crash: import tensorrt as trt
2 crash: import torch_tensorrt
3 crash: from torch2trt import torch2trt
4 info: from polygraphy.backend.trt import EngineFromNetwork
