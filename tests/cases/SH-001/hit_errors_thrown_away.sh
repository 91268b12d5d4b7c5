count=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | wc -l)
if [ "$count" -lt 4 ]; then
  echo "too few"
fi
# output
1 info: nvidia-smi
