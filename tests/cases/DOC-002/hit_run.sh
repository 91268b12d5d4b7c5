docker run --rm -it \
    --gpus all \
    -v "$PWD:/work" image bash
sudo docker run --runtime=nvidia image
podman run --device nvidia.com/gpu=all image
nvidia-docker run image
# output
2 crash: --gpus
4 crash: --runtime=nvidia
5 crash: --device
6 crash: nvidia-docker
