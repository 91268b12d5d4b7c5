from enum import Enum


class Limit(Enum):
    ADA = 101376
    AMPERE = 166912
    HOPPER = 232448


def fits(max_shared_mem, generation):
    return max_shared_mem >= Limit[generation.upper()].value
# output
5 info: 101376
