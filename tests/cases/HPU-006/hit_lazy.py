import os

os.environ["PT_HPU_LAZY_MODE"] = "1"


class Trainer:
    def step(self, loss):
        self.scaler.scale(loss).backward()
        self.optimizer.step()
# output
target: gaudi
8 wrong-result: self.scaler.scale(loss).backward()
