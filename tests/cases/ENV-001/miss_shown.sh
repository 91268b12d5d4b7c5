echo "devices: $CUDA_VISIBLE_DEVICES"
export CUDA_VISIBLE_DEVICES=0
echo '$CUDA_VISIBLE_DEVICES'
awk '{print $CUDA_VISIBLE_DEVICES}' log
# output
