import torch


def test_kwargs(plugin, mock):
    assert plugin.to_kwargs() == {"backend": "inductor", "mode": "reduce-overhead"}
    mock.compile.assert_called_once_with(mode="reduce-overhead")
    mock().compile.assert_called_with(mode="reduce-overhead")
# output
