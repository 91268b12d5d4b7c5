import torch
import faiss
from mylib import StandardGpuResources

if torch.version.hip is None:
    res = faiss.StandardGpuResources()
mine = StandardGpuResources()
# output
