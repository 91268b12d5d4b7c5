from caffe2.python import workspace

workspace.gpu(0)
# output
