import importlib.util

try:
    import xformers
    import xformers.ops
except ImportError:
    xformers = None
if importlib.util.find_spec("xformers"):
    import xformers.ops
import xformers
# output
4 info: import xformers
5 info: import xformers.ops
9 info: import xformers.ops
10 info: import xformers
