def test_stacked(monkeypatch, count):
    monkeypatch.setenv("ROCR_VISIBLE_DEVICES", "1,2")
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "0")
    assert count() == 1
# output
path: tests/test_masks.py
