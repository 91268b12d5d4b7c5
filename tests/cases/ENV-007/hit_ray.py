runtime_env = {"env_vars": {"CUDA_DEVICE_MAX_CONNECTIONS": "1", "TOKENIZERS_PARALLELISM": "true"}}
# output
1 perf: "CUDA_DEVICE_MAX_CONNECTIONS"
