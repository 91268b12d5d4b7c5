import torch


def is_sm90():
    return compute() == 90


if not is_sm90():
    raise RuntimeError("needs Hopper")


class A:
    def run(self):
        if not self.is_hopper():
            raise RuntimeError("needs Hopper")
# output
