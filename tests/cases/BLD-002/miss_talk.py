import argparse
from setuptools import setup

parser = argparse.ArgumentParser()
parser.add_argument("-arch", help="such as -gencode=arch=compute_80,code=sm_80")
flags = ["-O3"]  # "-gencode", "arch=compute_80,code=sm_80"
if any(flag.startswith("-gencode") for flag in flags) or "-arch=sm_80" in flags:
    print("-gencode is set")
ignored_flags = ("-gencode", "-arch")
tar = ["tar", "-arch", "x"]
setup(name="x")
# output
path: setup.py
