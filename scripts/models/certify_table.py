"""Prints the rows of a table of docs/models_reference.md ("How far a bound reaches") from what `lipscope certify
--weights` wrote.

    certify_table.py NAME TABLE.csv.. [--check PAGE.md]

With --check it fails where a row of the page is missing or is off by more than a rounding to three digits; what a search
finds may differ by 2 per cent.
"""

import csv
import sys


def rounded(number):
    return f"{float(f'{number:.2e}'):g}"


def rows(name, table):
    lines = list(csv.DictReader(open(table)))
    value = {(line["epsilon_over_r"], line["head"], line["quantity"]): float(line["value"]) for line in lines}
    norm = value["0.0", "all", "norm"]
    for eps in dict.fromkeys(line["epsilon_over_r"] for line in lines if line["quantity"] == "certified"):
        heads = [of_head for (at, head, what), of_head in value.items() if (at, what) == (eps, "certified") and head != "all"]
        numbers = [norm, *(value[eps, "all", what] for what in ["found", "certified", "certified_added"]), max(heads)]
        yield f"{name}, {lines[0]['layer']}", float(eps), numbers


def check(page, name, eps, numbers):
    for line in open(page):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == name and len(cells) == 7 and float(cells[1]) == eps:
            limits = [6e-3, 2e-2, 6e-3, 6e-3, 6e-3]
            return all(abs(float(cell) / x - 1) <= limit for cell, x, limit in zip(cells[2:], numbers, limits))
    return False


def main(name, *rest):
    tables, page = (rest[:-2], rest[-1]) if "--check" in rest else (rest, None)
    is_right = True
    for table in tables:
        for name_and_layer, eps, numbers in rows(name, table):
            print(f"| {name_and_layer} | {eps:g} | " + " | ".join(map(rounded, numbers)) + " |")
            is_right = is_right and (page is None or check(page, name_and_layer, eps, numbers))
    if not is_right:
        sys.exit(f"{page} has other rows")


main(*sys.argv[1:])
