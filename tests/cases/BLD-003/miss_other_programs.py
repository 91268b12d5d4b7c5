import subprocess

from setuptools import setup

subprocess.run(["make", "--threads", "4", "-G"])
pytest_args = ["-t", "unit", "--keep"]
unsupported = ["--use_fast_math", "-Xptxas"]
message = "pass --use_fast_math to nvcc"
print("--maxrregcount=32")
setup(name="x", description="--expt-relaxed-constexpr")
# output
path: setup.py
