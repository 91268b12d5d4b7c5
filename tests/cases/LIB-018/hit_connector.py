from vllm import LLM
from vllm.config import KVTransferConfig

transfer = KVTransferConfig(kv_connector="NixlConnector", kv_role="kv_both")
model = LLM("m", kv_transfer_config=transfer)
# output
target: gaudi
4 info: KVTransferConfig
