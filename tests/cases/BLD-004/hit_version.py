import subprocess
from subprocess import check_output as co

out = subprocess.check_output(["nvcc", "--version"], text=True)
v = co("nvcc -V", shell=True)
subprocess.run(["/usr/local/cuda/bin/nvcc", "-c", "kernel.cu"], check=True)
# output
4 crash: subprocess.check_output(["nvcc", "--version"], text=True)
5 crash: co("nvcc -V", shell=True)
6 crash: subprocess.run(["/usr/local/cuda/bin/nvcc", "-c", "kernel.cu"], check=True)
