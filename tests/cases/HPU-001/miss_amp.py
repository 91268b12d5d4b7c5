import torch

scaler = torch.cuda.amp.GradScaler()
handle = torch.cuda.current_stream().cuda_stream
# output
target: gaudi
