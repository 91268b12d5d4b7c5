cmake -B build -DWITH_CUDA=OFF -DUSE_CUDNN=0
cargo build --release --features metal
cmake -B build -DBARRACUDA_LEVEL=3
echo cmake -DWITH_CUDA=ON
# output
