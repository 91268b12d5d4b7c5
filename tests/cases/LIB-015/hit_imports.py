import cudf
from cuml.cluster import KMeans
import cugraph as cg
from rmm.allocators.torch import rmm_torch_allocator
# output
1 crash: import cudf
2 crash: from cuml.cluster import KMeans
3 crash: import cugraph as cg
4 crash: from rmm.allocators.torch import rmm_torch_allocator
