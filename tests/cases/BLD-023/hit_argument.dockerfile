FROM rust:1.80
ARG FEATURES="cuda,nccl"
RUN cargo build --release --features "${FEATURES}"
# output
3 build-fail: "${FEATURES}"
