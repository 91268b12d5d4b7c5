if command -v nvidia-smi &> /dev/null; then
    docker run --gpus all image
elif [ -e /dev/kfd ]; then
    docker run --device /dev/kfd --device /dev/dri image
fi
# output
