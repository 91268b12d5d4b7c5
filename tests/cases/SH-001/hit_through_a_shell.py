import subprocess

subprocess.run("nvidia-smi", shell=True)
subprocess.run("nvidia-smi", shell=True, check=True)
# output
3 info: "nvidia-smi"
4 crash: "nvidia-smi"
