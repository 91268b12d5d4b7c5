WHEEL = "https://download.pytorch.org/whl/cu130/xformers-0.0.34-cp39-abi3-linux_x86_64.whl"


def test_wheel(resolve):
    assert resolve("xformers") == WHEEL
    assert resolve("torch").startswith("https://download.pytorch.org/whl/cu130/")
# output
path: tests/test_wheels.py
