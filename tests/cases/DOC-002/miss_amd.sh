docker run --device /dev/kfd --device /dev/dri --group-add video image
srun --gpus 2 python train.py
docker build --build-arg gpus=nvidia .
echo docker run --gpus all image
# docker run --gpus all image
# output
