import caffe
import mxnet as mx

caffe.set_mode_cpu()
module = mx.mod.Module(symbol, context=mx.cpu())
# output
