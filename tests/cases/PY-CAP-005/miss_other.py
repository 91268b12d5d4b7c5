from mylib import cuda

flags = cuda.get_gencode_flags()
text = "torch.cuda.get_gencode_flags()"
# output
