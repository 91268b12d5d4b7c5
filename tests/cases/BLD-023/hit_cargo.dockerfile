FROM rust:1.80
RUN cargo build --release --features cuda,flash-attn
RUN cargo install --path router -F candle-cuda --no-default-features
# output
2 build-fail: cuda,flash-attn
3 build-fail: candle-cuda
