"""Tests of `lipscope.torch`, which need PyTorch and transformers: `make test-models` runs them."""
