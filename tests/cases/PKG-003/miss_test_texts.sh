#!/bin/bash
assert_eq "index of 12.8" "https://download.pytorch.org/whl/cu128" "$(index_for 12.8)"
check "flavour" "$(flavour '2.9.1+cu128')" "cu128"
pinned=$(redact 'https://user:secret@mirror.example/whl/cu128')
# output
path: tests/sh/test_index.sh
