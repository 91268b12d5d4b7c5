.PHONY: demo test docs
demo:
	./scripts/demo
test:
	./scripts/test
docs: # pages generated from the code; a test fails when they are stale
	./.venv/bin/python scripts/build_docs.py
