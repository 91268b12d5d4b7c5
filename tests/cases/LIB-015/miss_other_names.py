from .cudf import frame
from tools import rmm

extra = "cuml"  # import cuml
cudf = None
# output
