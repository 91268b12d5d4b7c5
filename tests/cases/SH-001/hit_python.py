import os
import subprocess as sp
from subprocess import check_output

out = check_output(["nvidia-smi", "-L"])
free = os.popen("nvidia-smi --query-gpu=memory.free --format=csv | tail -1").read()
cmd = ["/usr/bin/nvidia-smi", "topo", "-m"]
sp.run(cmd, check=True)
try:
    sp.run(["nvidia-smi"], check=True)
except (FileNotFoundError, sp.CalledProcessError):
    pass
# output
5 crash: "nvidia-smi"
6 info: "nvidia-smi --query-gpu=memory.free --format=csv | tail -1"
7 crash: "/usr/bin/nvidia-smi"
10 info: "nvidia-smi"
