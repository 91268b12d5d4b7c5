#!/bin/bash
vllm serve org/m --kv-transfer-config '{"kv_connector":"LMCacheConnectorV1","kv_role":"kv_both"}'
# output
2 info: --kv-transfer-config
