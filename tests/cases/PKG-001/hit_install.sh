#!/bin/bash
set -e
python3 -m pip install --upgrade pip
sudo -H pip3 install --no-cache-dir "torch==2.5.1" torchaudio
uv pip install numpy
# output
4 info: "torch==2.5.1"
