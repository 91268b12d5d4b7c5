if [ "$GPU" = rocm ]; then
  cmake -B build -DUSE_HIP=ON
fi
cargo test --features "cpu mkl"
# output
