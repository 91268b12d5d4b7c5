import torch
from faster_whisper import WhisperModel

device = "cuda" if torch.cuda.is_available() else "cpu"
model = WhisperModel("small", device=device)
# output
2 crash: from faster_whisper import WhisperModel
