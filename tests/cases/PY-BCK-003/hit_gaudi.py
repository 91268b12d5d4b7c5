from torch.backends import cudnn

cudnn.enabled = False
# output
target: gaudi
3 works-as-is: cudnn.enabled = False
