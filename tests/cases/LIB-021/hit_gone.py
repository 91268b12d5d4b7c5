from torch.utils.ffi import create_extension
from caffe2.python import core, workspace


def late():
    import caffe2.proto.caffe2_pb2
# output
1 crash: from torch.utils.ffi import create_extension
2 crash: from caffe2.python import core, workspace
6 crash: import caffe2.proto.caffe2_pb2
