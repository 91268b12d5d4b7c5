git clone https://github.com/ROCm/apex
pip install git+https://github.com/huggingface/transformers
pip install git+https://github.com/vllm-project/vllm
echo "see https://github.com/NVIDIA/apex"
# output
