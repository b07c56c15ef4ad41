"""Measurements of torch_hptp next to what else can be called: `python -m benchmarks.board`."""
