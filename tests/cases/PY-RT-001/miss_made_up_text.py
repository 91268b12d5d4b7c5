ERROR = {"status": 507, "detail": "CUDA out of memory"}


def test_message(run, capsys):
    run(ERROR)
    assert "Model load failed: CUDA out of memory" in capsys.readouterr().err
# output
path: tests/test_message.py
