"""Writes the document of the model, or the table of what was counted that it is made from.

    python3 proof/model document TABLE CUDA DOCUMENT
    python3 proof/model table TABLE JOURNAL...
    python3 proof/model beside TABLE CUDA RESULTS CARD [TIMES [PROFILE]]

TABLE has the launches of cases and operations, CUDA is the table of registers, and JOURNALs are those of `just
sectors`. `beside` prints what was counted and modelled for a card beside what a bench wrote to RESULTS,
`gpu-lsm-sectors times` to TIMES, and a profiler to PROFILE.
"""
import pathlib
import sys

import beside
import cards
import counted
import document
import ours


def write_document(launches, cuda, out):
    sources, all_cards, by_name = cards.read()
    text = document.HEAD + document.cards_section(sources, all_cards) + document.published_section(by_name)
    text += document.paper_section(by_name["K40c"])
    if launches.exists():
        text += ours.sections(launches, cuda, all_cards, by_name)
    out.write_text(text)


def write_table(out, *journals):
    out.write_text("".join("\t".join(map(str, row)) + "\n" for row in counted.summed(*journals)))


def print_beside(launches, cuda, results, name, timed=None, profiled=None):
    _, _, by_name = cards.read()
    if str(name) not in by_name:
        sys.exit(f"the model has no card `{name}`, only: {', '.join(by_name)}")
    print(beside.document(results, launches, cuda, by_name[str(name)], timed, profiled))


def main():
    what, *files = sys.argv[1:]
    does = {"document": write_document, "table": write_table, "beside": print_beside}
    does[what](*map(pathlib.Path, files))


if __name__ == "__main__":
    main()
