#!/bin/bash
docker run --rm -it nvcr.io/nvidia/pytorch:24.02-py3 bash
docker pull tensorflow/tensorflow:2.15.0-gpu
# output
2 runs-on-cpu: nvcr.io/nvidia/pytorch:24.02-py3
3 info: tensorflow/tensorflow:2.15.0-gpu
