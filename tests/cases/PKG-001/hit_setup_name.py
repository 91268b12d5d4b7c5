from setuptools import setup

NEEDED = ["numpy", "torch>=2.0"]
EXTRA = {"serve": ["vllm"]}
setup(name="lib", install_requires=NEEDED, extras_require=EXTRA)
# output
path: setup.py
3 info: "torch>=2.0"
