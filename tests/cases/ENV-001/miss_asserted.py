import os


def test_pins_devices(run, monkeypatch):
    run(devices=[5, 6])
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "5,6"


class TestMask:
    def test_mask(self):
        self.assertEqual(os.environ.get("CUDA_VISIBLE_DEVICES"), "0")
# output
path: tests/test_devices.py
