import torch.nn.functional as F


def attend(q, k, v):
    return F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))


def attend_names(q, k, v, b, t, h):
    q, k, v = q.split(t, dim=2)
    q = q.view(b, t, h, -1).permute(0, 2, 1, 3)
    k = k.view(b, t, h, -1).permute(0, 2, 1, 3)
    return F.scaled_dot_product_attention(query=q, key=k, value=v)
# output
torch: 2.13
arch: gfx1151
5 perf: F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2))
12 perf: F.scaled_dot_product_attention(query=q, key=k, value=v)
