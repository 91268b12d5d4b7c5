import re

import torch


class Runner:
    def __init__(self):
        self.gpu = torch.cuda.get_device_name()

    def check(self):
        if "H200" not in self.gpu:
            raise RuntimeError("needs an H200")
        return re.search(r"Tesla T4", self.gpu)
# output
11 crash: "H200" not in self.gpu
13 info: re.search(r"Tesla T4", self.gpu)
