if [[ -d /opt/rocm ]]; then
    ./install_rocm.sh
else
    pip install torch --index-url https://download.pytorch.org/whl/cu124
fi
# output
