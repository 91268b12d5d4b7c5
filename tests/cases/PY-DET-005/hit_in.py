import re
import torch as t
from importlib.metadata import version

gpu_build = "+cu" in t.__version__
tag = re.search(r"cu(\d+)", t.__version__)
which = t.__version__.split("+cu")[-1]
installed = version("torch")
if "cu118" in installed:
    index = "cu118"
# output
5 wrong-result: "+cu" in t.__version__
6 wrong-result: re.search(r"cu(\d+)", t.__version__)
7 wrong-result: t.__version__.split("+cu")
9 wrong-result: "cu118" in installed
