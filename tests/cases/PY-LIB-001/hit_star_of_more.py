import torch
from pynvml import *

nvmlInit()
print(os.environ["HOME"], c_char_p(b"of ctypes"))
# output
2 crash: from pynvml import *
