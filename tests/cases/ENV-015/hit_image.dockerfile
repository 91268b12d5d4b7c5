FROM rocm/pytorch:latest
RUN ${CUDA_HOME:?}/bin/nvcc --version && pip install .
# output
path: docker/pytorch-amd-gpu/Dockerfile
2 crash: ${CUDA_HOME:?
