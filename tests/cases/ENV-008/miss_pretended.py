def test_order(monkeypatch, order):
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    assert order() == "pci"
# output
path: tests/test_order.py
