#!/bin/bash
# record.sh FOLDER: on a machine with an NVIDIA GPU and nvcc, compile and run every program, and write NAME.out below FOLDER.
# A program runs twice: what differs from run to run is told. The options and what was used stand in programs.toml.
set -u
cd "$(dirname "$0")"
out=$(mkdir -p "$1/thirty_two" && cd "$1" && pwd)
built=$(mktemp -d)
export out built
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
nvcc --version | grep release

one() {
    name=${1%.cu}
    program=$built/${name//\//+}
    nvcc -arch=sm_90 -std=c++17 -O2 --extended-lambda -o "$program" "$1" >"$program.log" 2>&1 || { echo "does not compile: $name"; cat "$program.log"; return; }
    timeout 60 "$program" >"$out/$name.out" || { echo "fails: $name"; rm "$out/$name.out"; return; }
    timeout 60 "$program" | cmp -s - "$out/$name.out" || echo "differs from run to run: $name"
}
export -f one
ls ./*.cu thirty_two/*.cu | sed 's|^\./||' | xargs -P "$(nproc)" -I{} bash -c 'one {}'
