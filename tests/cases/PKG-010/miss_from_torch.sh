pip install torch xformers --index-url https://download.pytorch.org/whl/cu128
# output
