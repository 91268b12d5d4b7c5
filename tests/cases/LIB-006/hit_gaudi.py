from apex import amp
# output
target: gaudi
1 crash: from apex import amp
