import torch
from torch.cuda import empty_cache as drop


class Module:
    def training_step(self, batch, index):
        loss = self.model(batch)
        torch.cuda.empty_cache()
        return loss

    def forward(self, x):
        drop()
        return x
# output
8 info: torch.cuda.empty_cache()
12 info: drop()
