import deepspeed

config = {"bf16": {"enabled": "auto"}, "gradient_clipping": 1.0}
old = {"bfloat16": {"enabled": True}, "train_batch_size": 8}
engine, *_ = deepspeed.initialize(model=model, config=config)
# output
3 info: {"enabled": "auto"}
4 info: {"enabled": True}
