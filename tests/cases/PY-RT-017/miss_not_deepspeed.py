options = {"bf16": {"enabled": True}, "batch": 8}
off = {"bf16": {"enabled": False}, "train_batch_size": 8}
half = {"fp16": {"enabled": True}, "zero_optimization": {"stage": 1}}
# output
