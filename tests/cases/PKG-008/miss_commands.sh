conda install -n cuda numpy
conda activate cuda
echo conda install pytorch-cuda=12.1
apt-get install cuda-nvcc-12-4
# output
