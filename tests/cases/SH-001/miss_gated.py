import shutil
import subprocess

import torch


def memory():
    if torch.version.hip:
        return subprocess.check_output(["amd-smi", "metric"])
    return subprocess.check_output(["nvidia-smi"])


print("run nvidia-smi to see your GPUs")
if shutil.which("nvidia-smi"):
    subprocess.run(["nvidia-smi"])
# output
15 info: "nvidia-smi"
