import importlib
import importlib.util

torch_c = importlib.import_module("torch._C")
spec = importlib.util.find_spec("triton")
try:
    ops = importlib.import_module("mypackage._C")
except ImportError:
    ops = None
# output
