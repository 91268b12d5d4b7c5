#!/bin/bash
ARGS="--ipc=host --gpus all"
docker run $ARGS image
# output
2 crash: ARGS="--ipc=host --gpus all"
