from setuptools import setup

try:
    import torch
except ImportError:
    torch = None


def build():
    import torch

    return torch
# output
path: setup.py
