import habana_frameworks.torch.core as htcore


def train(loss, optimizer):
    loss.backward()
    htcore.mark_step()
    optimizer.step()
    htcore.mark_step()
# output
target: gaudi
