if command -v nvidia-smi > /dev/null 2>&1; then
    nvidia-smi
elif command -v rocm-smi; then
    rocm-smi
fi
SMI=$(which nvidia-smi || which rocm-smi)
echo "nvidia-smi not found"
# nvidia-smi
if ! which amd-smi > /dev/null; then
    N=$(nvidia-smi -L | wc -l)
fi
[ -x "$(command -v nvidia-smi)" ] && nvidia-smi -L
cat <<'EOF'
nvidia-smi
EOF
# output
