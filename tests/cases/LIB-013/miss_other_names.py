import nvidia.cublas
from .dali import pipeline
from museum import dali

text = "from nvidia.dali import fn"
# output
