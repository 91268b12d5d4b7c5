import torch
from torch import nn

model = nn.Linear(4, 4).cuda()
x = torch.rand(4).half().cuda(non_blocking=True)


class Trainer:
    def start(self, batch):
        self.model.cuda()
        return [t.cuda(0) for t in batch]
# output
target: gaudi
4 crash: nn.Linear(4, 4).cuda()
5 crash: torch.rand(4).half().cuda(non_blocking=True)
10 crash: self.model.cuda()
11 crash: t.cuda(0)
