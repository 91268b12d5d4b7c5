FROM rocm/pytorch:latest
ENV HIP_VISIBLE_DEVICES=-1
# output
path: docker/Dockerfile.rocm
2 runs-on-cpu: HIP_VISIBLE_DEVICES=-1
