if [ "$GPU" = rocm ]; then
  module load rocm
fi
modules load cuda
# output
