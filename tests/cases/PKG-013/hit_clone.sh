git clone --recursive https://github.com/NVIDIA/apex && cd apex && pip install .
pip install -v git+https://github.com/NVIDIA/TransformerEngine.git@stable
# output
1 crash: https://github.com/NVIDIA/apex
2 crash: git+https://github.com/NVIDIA/TransformerEngine.git@stable
