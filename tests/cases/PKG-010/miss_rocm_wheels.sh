pip install vllm --extra-index-url https://wheels.vllm.ai/rocm
# output
