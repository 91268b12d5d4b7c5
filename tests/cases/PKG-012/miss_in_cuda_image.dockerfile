ARG CUDA=12.6.3
FROM nvidia/cuda:${CUDA}-base-ubuntu22.04 AS base
RUN apt-get update && apt-get install -y libcudnn8
FROM base
RUN apt-get install -y --no-install-recommends cuda-nvcc-12-6
# output
3 info: libcudnn8
5 info: cuda-nvcc-12-6
