def peak_tflops(device_name):
    if "A100" in device_name:
        return 312
    elif "H100" in device_name:
        if "PCIe" in device_name:
            return 756
        return 989
    elif "V100" in device_name:
        return 125
    return None
# output
2 wrong-result: "A100" in device_name
