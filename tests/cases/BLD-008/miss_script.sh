echo /usr/local/cuda/bin/nvcc
export PATH=/usr/local/cuda/bin:$PATH
if [ -d /usr/local/cuda ]; then ls /usr/local/cuda; fi
# /usr/local/cuda/bin/nvcc
python train.py --data /data/usr/local/cuda/x
# output
