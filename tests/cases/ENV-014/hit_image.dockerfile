FROM rocm/pytorch:latest
ENV HSA_OVERRIDE_GFX_VERSION=10.3.0
# output
path: Dockerfile.rocm
arch: gfx942
2 crash: HSA_OVERRIDE_GFX_VERSION=10.3.0
