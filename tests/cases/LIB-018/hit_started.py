import subprocess

subprocess.run(["vllm", "serve", "m", "--kv-transfer-config", "{}"])
# output
3 info: "--kv-transfer-config"
