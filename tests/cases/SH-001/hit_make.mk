GPUS := $(shell nvidia-smi -L | wc -l)
test:
	@nvidia-smi \
	  --query-gpu=name
# output
target: gaudi
1 crash: nvidia-smi
3 crash: nvidia-smi
