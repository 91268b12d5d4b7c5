FROM rocm/pytorch:latest
RUN pip install -U torch --index-url https://download.pytorch.org/whl/rocm6.4
RUN pip install torch einops
# output
path: docker/pytorch-amd-gpu/Dockerfile
