import torch

flags = "" if torch.version.hip else torch.cuda.get_gencode_flags()
# output
