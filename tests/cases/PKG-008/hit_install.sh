conda create -n train python=3.10 -y
conda install -y pytorch torchvision pytorch-cuda=12.4 -c pytorch -c nvidia
mamba install cudatoolkit=11.8
# output
2 runs-on-cpu: pytorch-cuda=12.4
2 info: nvidia
3 info: cudatoolkit=11.8
