"""Simulates a dictionary of 10^12 entries on 1,000 cards.

    python3 proof/scale tables       writes the tables of testdata that the real dictionary is compared with
    python3 proof/scale document     writes docs/scale.md
    python3 proof/scale plots        draws its plots, for which it needs matplotlib
"""
import sys

import figures
import page
import plots
import tables


def write_tables():
    for file, contents in tables.contents().items():
        file.write_text(contents)


def write_document():
    page.DOCUMENT.write_text(page.text(figures.Figures()))


def draw_plots():
    for plot in plots.plots(figures.Figures()):
        plots.draw(plot, plots.FOLDER)


def main():
    does = {"tables": write_tables, "document": write_document, "plots": draw_plots}
    if sys.argv[1:] and set(sys.argv[1:]) <= does.keys():
        for what in sys.argv[1:]:
            does[what]()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
