from setuptools import setup

setup(name="k", python_requires="three", install_requires=["torch"])
# output
path: setup.py
