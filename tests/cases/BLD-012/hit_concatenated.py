from setuptools import setup

CUDA_VERSION = "124"
version = "1.0" + "+cu" + CUDA_VERSION
url = "https://example.org/x-{}+cu{}-py3.whl".format("1.0", CUDA_VERSION)
tag = "cu%s" % CUDA_VERSION
setup(name="x", version=version)
# output
path: setup.py
4 build-fail: "1.0" + "+cu" + CUDA_VERSION
5 build-fail: "https://example.org/x-{}+cu{}-py3.whl"
6 build-fail: "cu%s"
