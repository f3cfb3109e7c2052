"""Ours beside numpy, pandas, Polars, DuckDB and sortedcontainers, on this machine: `python -m gpu_lsm.bench`."""
