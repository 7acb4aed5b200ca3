"""Makes the font that PDF files embed from Inter, which the npm package inter-ui 4.1.1 has:

    npm pack inter-ui@4.1.1 && tar -xzf inter-ui-4.1.1.tgz
    python3 -m pip install fonttools==4.68.0 brotli
    python3 scripts/font.py package/web/Inter-Regular.woff2 crates/cli/fonts/inter.ttf

It keeps the letters and signs of figures, and its digits are Inter's tabular ones: SVG asks for them by font-variant-numeric,
which the writer of PDF does not read. Inter has the SIL Open Font License, without a reserved name.
"""

import sys

from fontTools import subset
from fontTools.ttLib import TTFont

source, target = sys.argv[1:]
font = TTFont(source, recalcTimestamp=False)
font.flavor = None

tabular = {}
substitutions = font["GSUB"].table
for feature in substitutions.FeatureList.FeatureRecord:
    if feature.FeatureTag == "tnum":
        for at in feature.Feature.LookupListIndex:
            for table in substitutions.LookupList.Lookup[at].SubTable:
                tabular.update(getattr(getattr(table, "ExtSubTable", table), "mapping", {}))
for table in font["cmap"].tables:
    for digit in range(ord("0"), ord("9") + 1):
        if digit in table.cmap:
            table.cmap[digit] = tabular.get(table.cmap[digit], table.cmap[digit])

# Latin, Greek, punctuation, superscripts and subscripts, arrows, operators and shapes.
RANGES = [
    (0x20, 0x17F), (0x391, 0x3C9), (0x200A, 0x200A), (0x2010, 0x2027), (0x2030, 0x2033), (0x2070, 0x209C),
    (0x2113, 0x2113), (0x2190, 0x2199), (0x2200, 0x22FF), (0x25A0, 0x25FF), (0x1D43, 0x1D7F),
]
options = subset.Options()
options.layout_features = ["kern", "mark", "mkmk", "ccmp"]
options.hinting = False
options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
subsetter = subset.Subsetter(options)
subsetter.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)])
subsetter.subset(font)
font.save(target)
