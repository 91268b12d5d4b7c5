CUDA_LAUNCH_BLOCKING=1 python train.py
# output
1 works-as-is: CUDA_LAUNCH_BLOCKING=1
