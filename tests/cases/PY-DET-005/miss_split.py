import torch
import numpy as np

base = torch.__version__.split("+")[0]
major = int(torch.__version__.split(".")[0])
other = "+cu" in np.__doc__
text = '"+cu" in torch.__version__'
cpu = "+cpu" in torch.__version__
# output
