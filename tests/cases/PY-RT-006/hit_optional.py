try:
    import nvtx
except ImportError:
    nvtx = None
from nvtx import annotate as mark
# output
2 info: import nvtx
5 perf: from nvtx import annotate as mark
