import torch


def train_step(self, batch):
    if self.cuda and self.num_updates() == 0:
        torch.cuda.empty_cache()
# output
