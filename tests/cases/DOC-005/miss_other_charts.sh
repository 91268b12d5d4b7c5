helm install prometheus prometheus-community/kube-prometheus-stack
kubectl get pods -n gpu-operator
echo nvidia/gpu-operator
# output
