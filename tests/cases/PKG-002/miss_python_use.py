import subprocess

import triton

print("pip install triton")
subprocess.run(["pip", "show", "triton"])
# output
