def deepspeed_config(config, precision):
    config["bf16"] = {"enabled": False}
    config["fp16"] = {"enabled": True}
    return config
# output
