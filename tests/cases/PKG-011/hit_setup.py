from setuptools import setup

setup(name="k", python_requires=">=3.10", install_requires=["triton"])
# output
path: setup.py
3 works-as-is: ">=3.10"
