import os

import torch
from torch._inductor import config as inductor

torch._inductor.config.memory_planning = True
with inductor.patch(memory_planning=True):
    pass
OPTIONS = {"memory_planning": True, "cpp_wrapper": True}
model = torch.compile(torch.nn.Linear(8, 8), options=OPTIONS)
os.environ["TORCHINDUCTOR_MEMORY_PLANNING"] = "1"
# output
6 crash: torch._inductor.config.memory_planning = True
7 crash: memory_planning=True
9 crash: "memory_planning"
11 crash: os.environ["TORCHINDUCTOR_MEMORY_PLANNING"] = "1"
# fixed
--- hit_settings.py
+++ hit_settings.py
@@ -3,9 +3,9 @@
 import torch
 from torch._inductor import config as inductor
 
-torch._inductor.config.memory_planning = True
-with inductor.patch(memory_planning=True):
+torch._inductor.config.memory_planning = False if torch.version.hip is not None else True
+with inductor.patch(memory_planning=False if torch.version.hip is not None else True):
     pass
 OPTIONS = {"memory_planning": True, "cpp_wrapper": True}
 model = torch.compile(torch.nn.Linear(8, 8), options=OPTIONS)
-os.environ["TORCHINDUCTOR_MEMORY_PLANNING"] = "1"
+os.environ["TORCHINDUCTOR_MEMORY_PLANNING"] = "0" if torch.version.hip is not None else "1"
