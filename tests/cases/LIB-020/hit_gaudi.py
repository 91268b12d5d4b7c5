import caffe

caffe.set_mode_gpu()
# output
target: gaudi
3 crash: caffe.set_mode_gpu()
