"""Prints the table of `make test-models` as Markdown and fails where a number is off by more than 1e-5, or an upper number
is below the norm or above 1.02 times it.

    compare.py REFERENCE.json TABLE.csv..
"""

import csv
import json
import sys

TOLERANCE = 1e-5
MOST_UPPER = 1.02


def place(row):
    return row["map"], int(row["layer"]), int(row["window"])


def main(reference, *tables):
    rows = [row for table in tables for row in csv.DictReader(open(table))]
    found = {place(row): row for row in rows}
    print("| map | layer | window | norm, PyTorch | norm, Lipscope | off by | released, PyTorch | released, Lipscope | off by |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    worst = 0.0
    uppers = [float(row["upper"]) / float(row["spectral"]) for row in rows if row.get("upper")]
    for row in sorted(json.load(open(reference)), key=place):
        cells = [str(part) for part in place(row)]
        for key in ["spectral", "released"]:
            value = float(found[place(row)][key])
            off = abs(value / row[key] - 1)
            worst = max(worst, off)
            cells += [f"{row[key]:.8f}", f"{value:.8f}", f"{off:.1e}"]
        print("| " + " | ".join(cells) + " |")
    print(f"\nThe largest relative difference is {worst:.1e} (limit: {TOLERANCE:.0e}).")
    print(f"Upper numbers of {len(uppers)} cells: {min(uppers):.5f} to {max(uppers):.5f} times the norm (limit: {MOST_UPPER}).")
    sys.exit(worst > TOLERANCE or min(uppers) < 1 or max(uppers) > MOST_UPPER)


main(*sys.argv[1:])
