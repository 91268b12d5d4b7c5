import subprocess

there = subprocess.call("nvcc --version", shell=True) == 0
version = subprocess.run("nvcc --version", shell=True, capture_output=True)
subprocess.run("nvcc --version", shell=True, check=True)
subprocess.check_output("nvcc --version", shell=True)
subprocess.run(["nvcc", "--version"])
# output
3 info: subprocess.call("nvcc --version", shell=True)
4 info: subprocess.run("nvcc --version", shell=True, capture_output=True)
5 crash: subprocess.run("nvcc --version", shell=True, check=True)
6 crash: subprocess.check_output("nvcc --version", shell=True)
7 crash: subprocess.run(["nvcc", "--version"])
