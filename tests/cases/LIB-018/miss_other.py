from vllm import LLM

kv_transfer_config = {}
model = LLM("m", kv_cache_dtype="fp8")
# output
target: gaudi
