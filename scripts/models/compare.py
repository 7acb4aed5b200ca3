"""Prints the table of `make test-models` as Markdown and fails where a number is off by more than 1e-5.

    compare.py REFERENCE.json TABLE.csv
"""

import csv
import json
import sys

TOLERANCE = 1e-5


def main(reference, table):
    found = {(int(row["layer"]), int(row["window"])): row for row in csv.DictReader(open(table))}
    print("| layer | window | norm, PyTorch | norm, Lipscope | off by | released, PyTorch | released, Lipscope | off by |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    worst = 0.0
    for row in sorted(json.load(open(reference)), key=lambda row: (row["layer"], row["window"])):
        cells = [f"{row['layer']}", f"{row['window']}"]
        for key in ["spectral", "released"]:
            value = float(found[row["layer"], row["window"]][key])
            off = abs(value / row[key] - 1)
            worst = max(worst, off)
            cells += [f"{row[key]:.8f}", f"{value:.8f}", f"{off:.1e}"]
        print("| " + " | ".join(cells) + " |")
    print(f"\nThe largest relative difference is {worst:.1e} (limit: {TOLERANCE:.0e}).")
    sys.exit(worst > TOLERANCE)


main(*sys.argv[1:])
