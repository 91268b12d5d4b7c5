import modal

image = modal.Image.from_registry("nvidia/cuda:12.4.0-devel-ubuntu22.04", add_python="3.11")
# output
3 runs-on-cpu: "nvidia/cuda:12.4.0-devel-ubuntu22.04"
