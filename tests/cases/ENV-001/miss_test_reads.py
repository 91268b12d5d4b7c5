import os

VISIBLE = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
# output
path: tests/conftest.py
