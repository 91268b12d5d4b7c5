import subprocess
import sys

subprocess.check_call([sys.executable, "-m", "pip", "install", "torch", "einops"])
# output
target: gaudi
4 info: "torch"
