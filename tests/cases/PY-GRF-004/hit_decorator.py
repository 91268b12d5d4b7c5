import torch


@torch.compile(mode="reduce-overhead")
def route(x, k):
    weights, ids = torch.topk(x, k)
    return weights, ids


def sample(logits):
    return logits.softmax(-1).topk(50)


fast = torch.compile(sample, mode="reduce-overhead", fullgraph=True)
# output
torch: 2.13
6 perf: torch.topk(x, k)
11 perf: logits.softmax(-1).topk(50)
