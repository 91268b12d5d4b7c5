import itertools

import triton


def configs(num_ctas):
    found = []
    for num_ctas, num_warps in itertools.product(num_ctas, (4, 8)):
        found.append(triton.Config({}, num_warps=num_warps, num_ctas=num_ctas))
    return found
# output
