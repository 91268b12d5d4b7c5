IFS=',' read -ra GPUS <<< "$CUDA_VISIBLE_DEVICES"
NUM=$(echo ${CUDA_VISIBLE_DEVICES} | tr ',' '\n' | wc -l)
if [ -z "${CUDA_VISIBLE_DEVICES:-}" ]; then
    echo none
fi
# output
target: gaudi
1 wrong-result: $CUDA_VISIBLE_DEVICES
2 wrong-result: ${CUDA_VISIBLE_DEVICES
3 wrong-result: ${CUDA_VISIBLE_DEVICES
