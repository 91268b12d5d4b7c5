from torch.cuda import GreenContext
from torch.cuda.green_contexts import GreenContext as Green

a = GreenContext.create(num_sms=16)
b = Green.max_workqueue_concurrency(0)
# output
4 crash: GreenContext.create(num_sms=16)
5 crash: Green.max_workqueue_concurrency(0)
