text = "lmcache and kv_transfer_config are words here"
KVTransferConfig = None
# output
