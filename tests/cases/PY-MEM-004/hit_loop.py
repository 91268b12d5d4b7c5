import torch as t

for batch in train_loader:
    loss = model(batch)
    loss.backward()
    t.cuda.empty_cache()
    t.cuda.ipc_collect()
# output
6 info: t.cuda.empty_cache()
7 info: t.cuda.ipc_collect()
