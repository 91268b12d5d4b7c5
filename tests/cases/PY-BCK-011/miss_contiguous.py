import torch.nn.functional as F


def attend(q, k, v):
    q = q.transpose(1, 2)
    q = q.contiguous()
    return F.scaled_dot_product_attention(q, k.transpose(1, 2), v)


def direct(q, k, v):
    return F.scaled_dot_product_attention(q.transpose(1, 2).contiguous(), k, v)


def last_axes(q, k, v):
    return F.scaled_dot_product_attention(q.transpose(-2, -1), k, v)


def rotated(q, k, v, rope):
    q = q.transpose(1, 2)
    q = rope(q)
    return F.scaled_dot_product_attention(q, k, v)
# output
