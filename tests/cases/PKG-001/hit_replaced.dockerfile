FROM rocm/pytorch:latest
RUN python3 -m pip install -U torch torchaudio einops
# output
path: docker/pytorch-amd-gpu/Dockerfile
2 runs-on-cpu: torch
2 runs-on-cpu: torchaudio
