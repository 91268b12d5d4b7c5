import transformer_engine
# output
target: gaudi
1 crash: import transformer_engine
