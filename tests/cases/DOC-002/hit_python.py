import subprocess

subprocess.run(["docker", "run", "--gpus", "all", "image"], check=True)
# output
target: gaudi
3 crash: "--gpus"
