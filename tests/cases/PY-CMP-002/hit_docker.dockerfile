FROM rocm/pytorch:latest
ENV TORCHINDUCTOR_MAX_AUTOTUNE=1
# output
path: Dockerfile
2 info: TORCHINDUCTOR_MAX_AUTOTUNE=1
