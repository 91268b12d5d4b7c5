import os


def mask():
    os.environ["HIP_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
    os.environ["ROCR_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
# output
5 info: os.environ["HIP_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
6 crash: os.environ["ROCR_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
