import torch


def forward(q, k, v, exact):
    return torch.ops.aten._flash_attention_forward(
        q, k, v, None, None, 1, 1, 0.0, True, False, num_splits=1 if exact else None
    )
# output
6 crash: 1
