from .faster_whisper import WhisperModel

model = WhisperModel("small", device="cuda")
# output
