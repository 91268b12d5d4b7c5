set -euo pipefail
NUM_GPUS=$(nvidia-smi -L | wc -l)
srun --ntasks=1 nvidia-smi
watch -n 1 nvidia-smi
bash -c "nvidia-smi && python train.py"
nvidia-smi || true
for i in `nvidia-smi --list-gpus`; do echo $i; done
# output
2 crash: nvidia-smi
3 crash: nvidia-smi
4 crash: nvidia-smi
5 crash: "nvidia-smi && python train.py"
6 info: nvidia-smi
7 crash: nvidia-smi
