import os


def ray(ids, old):
    if old:
        os.environ["ROCR_VISIBLE_DEVICES"] = ids
    else:
        os.environ["HIP_VISIBLE_DEVICES"] = ids


def plain(ids):
    os.environ["CUDA_VISIBLE_DEVICES"] = ids
# output
