import nvdiffrast.torch as dr
import tinycudann as tcnn
from spconv.pytorch import SparseConv3d
# output
1 crash: import nvdiffrast.torch as dr
2 crash: import tinycudann as tcnn
3 info: from spconv.pytorch import SparseConv3d
