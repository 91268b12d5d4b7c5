import caffe

caffe.set_device(0)
caffe.set_mode_gpu()
net = caffe.Net("deploy.prototxt", "weights.caffemodel", caffe.TEST)
# output
4 crash: caffe.set_mode_gpu()
