from setuptools import setup

deps = ["numpy", "vllm>=0.6"]
setup(name="serve", install_requires=deps)
# output
path: setup.py
target: gaudi
3 crash: "vllm>=0.6"
