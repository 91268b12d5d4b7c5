import subprocess


def install_xla():
    subprocess.run(["pip", "install", "-U", "torch"], check=True)
# output
path: src/lib/torch_xla.py
