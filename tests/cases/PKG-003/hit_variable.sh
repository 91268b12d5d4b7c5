#!/bin/bash
TAG=cu121
pip install torch --index-url "https://download.pytorch.org/whl/${TAG}"
retry pip install torch==2.4.0+cu121
# output
3 crash: "https://download.pytorch.org/whl/${TAG}"
4 crash: torch==2.4.0+cu121
