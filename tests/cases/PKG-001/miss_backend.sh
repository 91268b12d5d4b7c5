uv pip install torch --torch-backend=auto
# output
