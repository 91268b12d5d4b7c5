if [ "$GPU" = rocm ]; then
  apt-get install -y rocm-hip-sdk
fi
apt-cache search cuda-toolkit
# output
