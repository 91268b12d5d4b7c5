#!/bin/bash
uv pip install -q torch torchvision
uv pip install mlx-lm
# output
path: scripts/install_model_mlx.sh
