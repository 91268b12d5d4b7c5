import torch


def load_weights(path):
    torch.cuda.empty_cache()


def training_step(batch, step):
    try:
        return model(batch)
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
    if step % 1000 == 0:
        torch.cuda.empty_cache()


for config in configs:
    run(config)
    torch.cuda.empty_cache()
# output
