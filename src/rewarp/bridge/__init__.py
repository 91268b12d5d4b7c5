"""What crosses platforms through storage (KV chunks, FP8 weights, safetensors, prefix hashes), and what silently breaks."""
