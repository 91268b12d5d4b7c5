import mxnet as mx

module = mx.mod.Module(symbol, context=mx.gpu(2))
# output
3 crash: mx.gpu(2)
