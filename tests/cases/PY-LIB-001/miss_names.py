import amdsmi
from mytools import pynvml_wrapper

nvidia_smi = "nvidia_smi"  # import pynvml
pynvml = pynvml_wrapper
# output
