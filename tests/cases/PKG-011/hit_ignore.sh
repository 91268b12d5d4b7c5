pip install --ignore-requires-python torch
# output
1 info: --ignore-requires-python
