import ray

ray.init(runtime_env={"env_vars": {"RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES": "1"}})
# output
target: gaudi
3 wrong-result: "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"
