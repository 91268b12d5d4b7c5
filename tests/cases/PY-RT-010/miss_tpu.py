import torch
import torch_xla.distributed.xla_multiprocessing as xmp


def launch(worker):
    if torch.cuda.is_available():
        worker(0)
    else:
        xmp.spawn(worker, start_method="fork")
# output
