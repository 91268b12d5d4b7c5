#!/bin/bash
# vllm serve org/m --kv-transfer-config is for another day
echo lmcache
vllm serve org/m --kv-cache-dtype fp8
# output
