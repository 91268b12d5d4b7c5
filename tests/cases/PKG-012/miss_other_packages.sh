apt-get install -y cudatext libcudf-docs rocm-hip-sdk build-essential
apt-get remove -y cuda-toolkit-12-4
echo "apt-get install cuda-toolkit-12-4"
curl -LO https://developer.nvidia.com/blog/some-post
# output
