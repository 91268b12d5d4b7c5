from setuptools import setup

setup(name="x", install_requires=["numpy", "nvidia-cublas-cu12"], extras_require={"cuda": ["nvidia-cusparselt-cu12"]})
# output
path: setup.py
3 info: "nvidia-cublas-cu12"
3 info: "nvidia-cusparselt-cu12"
