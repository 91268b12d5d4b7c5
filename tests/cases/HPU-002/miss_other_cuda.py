import tvm
from candle import Device

target = tvm.cuda(0)
device = Device.cuda(0)
kernel = tvm.target.cuda(model="a100")
text = "model.cuda()"  # model.cuda()
config = {"cuda": lambda: 1}["cuda"]()
# output
target: gaudi
