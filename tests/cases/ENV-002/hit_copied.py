def update(variables):
    variables["HIP_VISIBLE_DEVICES"] = variables["CUDA_VISIBLE_DEVICES"]
    return variables
# output
2 info: variables["HIP_VISIBLE_DEVICES"] = variables["CUDA_VISIBLE_DEVICES"]
