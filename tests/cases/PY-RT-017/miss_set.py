config = {
    "train_batch_size": 8,
    "bf16": {"enabled": True},
    "communication_data_type": "fp32",
}
# output
