import torch

if torch.cuda.is_available():
    scaler = torch.cuda.amp.GradScaler()


def scale(scaler: torch.cuda.amp.GradScaler):
    if scaler.device.type == "cuda":
        with torch.autocast("cuda"):
            return scaler
# output
target: gaudi
