uv pip install torch==2.8.0 --torch-backend=cu129
uv pip install torch==2.8.0 --torch-backend=cpu
# output
1 crash: --torch-backend=cu129
