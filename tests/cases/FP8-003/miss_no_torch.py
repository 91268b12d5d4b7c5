FP8_IMAGE_WIDTH = 448


def scale(max_width, fp8=False):
    return max_width / 448
# output
arch: gfx942
