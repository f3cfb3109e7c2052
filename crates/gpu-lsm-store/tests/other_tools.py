"""Runs the queries of docs/format.md on the runs of a store: `python3 other_tools.py STORE EXPECTED`.

STORE is a folder whose newest manifest has two runs, each with one file. EXPECTED is a Parquet file with the live entries.
Prints their number. Fails if DuckDB or Polars find anything else.
"""

import json
import os
import re
import sys
from pathlib import Path

import duckdb
import polars as pl

FORMAT = Path(__file__).resolve().parents[3] / "docs" / "format.md"


def documented(language):
    """The block of this language in the documentation. There is one."""
    (block,) = re.findall(rf"```{language}\n(.*?)```", FORMAT.read_text(), re.S)
    return block


def oldest_first(store):
    """The files of the newest manifest's runs."""
    manifest = json.loads(max((store / "manifest").iterdir()).read_text())["manifest"]
    (shard,) = manifest["shards"]
    return [f"runs/{file['id']}.parquet" for run in reversed(shard["runs"]) for file in run["files"]]


def main():
    store, expected = Path(sys.argv[1]), pl.read_parquet(sys.argv[2])
    os.chdir(store)
    older, newer = oldest_first(Path())
    query = documented("sql").replace("runs/OLDER.parquet", older).replace("runs/NEWER.parquet", newer)
    of_duckdb = pl.DataFrame(duckdb.sql(query).fetchall(), expected.schema, orient="row")
    names = {"pl": pl, "oldest_first": [older, newer]}
    exec(documented("python"), names)
    for program, found in [("DuckDB", of_duckdb), ("Polars", names["live"])]:
        if not found.equals(expected):
            sys.exit(f"{program} finds {found}, where {expected} is right")
    print(len(expected))


if __name__ == "__main__":
    main()
