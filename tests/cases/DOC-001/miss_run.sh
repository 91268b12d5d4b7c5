#!/bin/bash
docker run --rm rocm/pytorch:latest bash
docker build -t me/app-cuda12 .
docker manifest create vllm/vllm-openai:latest vllm/vllm-openai:x86_64
docker push me/app:cuda12
# output
