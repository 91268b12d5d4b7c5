FROM ubuntu:22.04
RUN apt-get update && apt-get install -y --no-install-recommends \
    build-essential \
    cuda-toolkit-12-4 \
    libcudnn9-cuda-12
# output
4 crash: cuda-toolkit-12-4
