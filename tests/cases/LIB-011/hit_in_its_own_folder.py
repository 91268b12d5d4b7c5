import tensorrt_llm
# output
path: engine/tensorrt_llm/adapter.py
1 info: import tensorrt_llm
