helm repo add rocm https://rocm.github.io/gpu-operator
helm install amd-gpu-operator rocm/gpu-operator-charts -n kube-amd-gpu
kubectl create -f https://raw.githubusercontent.com/ROCm/k8s-device-plugin/master/k8s-ds-amdgpu-dp.yaml
# output
