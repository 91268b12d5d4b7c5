import torch
import torch._inductor.config as inductor_config
from torch._inductor.config import triton as triton_config

torch._inductor.config.triton.cudagraphs = True
inductor_config.triton.cudagraph_trees = True
triton_config.cudagraphs = True
model = torch.compile(torch.nn.Linear(8, 8), options={"triton.cudagraphs": True})
# output
torch: 2.10
rocm: 7.0
5 perf: torch._inductor.config.triton.cudagraphs = True
6 info: inductor_config.triton.cudagraph_trees = True
7 perf: triton_config.cudagraphs = True
8 perf: "triton.cudagraphs"
# fixed
--- hit_old_versions.py
+++ hit_old_versions.py
@@ -2,7 +2,7 @@
 import torch._inductor.config as inductor_config
 from torch._inductor.config import triton as triton_config
 
-torch._inductor.config.triton.cudagraphs = True
+torch._inductor.config.triton.cudagraphs = False if torch.version.hip is not None else True
 inductor_config.triton.cudagraph_trees = True
-triton_config.cudagraphs = True
+triton_config.cudagraphs = False if torch.version.hip is not None else True
 model = torch.compile(torch.nn.Linear(8, 8), options={"triton.cudagraphs": True})
