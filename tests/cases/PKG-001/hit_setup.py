from setuptools import setup

install_requires = ["numpy", "torch"]

setup(name="model", install_requires=install_requires)
# output
path: setup.py
3 info: "torch"
