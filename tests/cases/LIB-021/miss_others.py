from cffi import FFI
from torch.utils import cpp_extension, data
from optimum.onnxruntime import ORTModel
import caffe2_exporter
import neuron

ffi = FFI()
# from torch.utils.ffi import create_extension
# output
