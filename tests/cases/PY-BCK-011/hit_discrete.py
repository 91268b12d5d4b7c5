from torch.nn.functional import scaled_dot_product_attention as sdpa


def attend(q, k, v):
    q, k, v = (x.permute((0, 2, 1, 3)) for x in (q, k, v))
    return sdpa(q, k, v)


def pair(x, y, v):
    q, k = x.transpose(2, 1), y.transpose(2, 1)
    return sdpa(q, k, v)
# output
torch: 2.13
arch: gfx942
6 info: sdpa(q, k, v)
11 info: sdpa(q, k, v)
