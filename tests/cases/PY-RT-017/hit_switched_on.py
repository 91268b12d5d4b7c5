def deepspeed_config(config, precision):
    if precision == "bf16" and "bf16" not in config:
        config["bf16"] = {"enabled": True}
    return config
# output
3 info: config["bf16"] = {"enabled": True}
