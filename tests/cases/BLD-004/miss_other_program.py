import subprocess

subprocess.run(["hipcc", "--version"])
subprocess.run(["echo", "nvcc"])
subprocess.run("which nvcc", shell=True)
run = ["nvcc", "--version"]
# output
