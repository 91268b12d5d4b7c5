import os
import subprocess

import torch

count = torch.cuda.device_count()
for i in range(count):
    env = os.environ.copy()
    env["CUDA_VISIBLE_DEVICES"] = str(i)
    subprocess.Popen(["worker"], env=env)
# output
