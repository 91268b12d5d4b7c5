from myruntime import GreenContext

ctx = GreenContext.create(num_sms=32)
# output
