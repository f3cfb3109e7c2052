"""Rates that others published, beside what the model makes of the same work."""
import dataclasses

import bounds
import textbook

HARRIS = "Harris, An Efficient Matrix Transpose in CUDA C/C++ (NVIDIA blog, 2013), quoted from memory"
BAXTER = "moderngpu's documentation, moderngpu.github.io, benchmark plot"
CUB = "NVIDIA/cub, comment beside the tuning of DeviceRadixSort for compute capability 3.5 (on a K40m)"
PAPER = "Ashkiani et al., GPU LSM (2018), bulk build: CUB's sort of pairs"
ADINETS = "Adinets, Merrill, Onesweep (2022), abstract; the card's memory size not named"
AYUSH = "ayush-os/transpose, README; the card inferred from the 1.55 TB/s that it names"
CCCL = "NVIDIA/cccl, pull request 5926: cub.bench.merge.keys, F32, 2^28, 1.529 ms"
WERNER = "MircoWerner/VkRadixSort, issue 2: 16 M keys in about 1.3 ms"
COLLECTIONS = "NVIDIA/cuCollections, as collected with the rivals' rates"


@dataclasses.dataclass(frozen=True)
class Published:
    """A rate in `unit` per second on a card, and the launches that do `amount` of it."""

    what: str
    card: str
    rate: float
    unit: str
    amount: float
    launches: list
    source: str
    #: Why the model is off, if it is by more than a factor of 2.
    why: str = ""

    def modelled(self, card):
        return self.amount / bounds.operation_seconds(bounds.once(self.launches), 0, card)

    def limit(self, card):
        """The bound that decides most of the time."""
        times = {}
        for launch in self.launches:
            seconds, name = bounds.seconds(launch, card)
            times[name] = times.get(name, 0) + seconds
        return max(times, key=times.get)


def bytes_moved(what, card, rate, words, launch, source):
    """A rate of bytes loaded and stored."""
    return Published(what, card, rate, "bytes", words * 2 * textbook.WORD, [launch], source)


def all_published():
    square, large = 2**20, 2**24
    kepler = (6, 6, 5, 5, 5, 5), 1152
    return [
        bytes_moved("copy, 1024 x 1024 words", "K20c", 136.0e9, square, textbook.copy(square), HARRIS),
        bytes_moved("transposition, naive", "K20c", 55.3e9, square, textbook.transposition(square), HARRIS),
        bytes_moved("transposition, staged, columns in one bank", "K20c", 97.6e9, square,
                    textbook.staged_transposition(square, False), HARRIS),
        bytes_moved("transposition, staged, padded", "K20c", 144.3e9, square,
                    textbook.staged_transposition(square, True), HARRIS),
        bytes_moved("transposition, naive, cubes of 16 x 16", "A100 40 GB", 833e9, large,
                    textbook.transposition(large, 16), AYUSH),
        Published("merge of pairs, 20 M", "GTX Titan", 10.36e9, "pairs", 20e6, [textbook.merge(20e6)], BAXTER),
        Published("merge sort of pairs, 20 M", "GTX Titan", 0.691e9, "pairs", 20e6,
                  textbook.merge_sort(20e6, 2816), BAXTER),
        Published("CUB's merge of keys, 2^28", "RTX 5090", 2**28 / 1.529e-3, "keys", 2**28,
                  [textbook.merge(2**28, 1)], CCCL),
        Published("CUB's radix sort of pairs", "K40c", 1.17e9, "pairs", 2**26,
                  textbook.radix_sort(2**26, 2, *kepler), CUB),
        Published("CUB's radix sort of keys", "K40c", 1.72e9, "keys", 2**26,
                  textbook.radix_sort(2**26, 1, *kepler), CUB),
        Published("the paper's sort of pairs, 2^27", "K40c", 0.77e9, "pairs", 2**27,
                  textbook.radix_sort(2**27, 2, *kepler), PAPER,
                  "an older CUB, which took 1.5 times as long as the one above; the rest as above: a pass of a radix sort "
                  "is also bound by the instructions that rank its keys"),
        Published("Onesweep, keys, 2^28", "A100 40 GB", 29.4e9, "keys", 2**28,
                  textbook.one_sweep(2**28, 1), ADINETS),
        Published("CUB's radix sort of keys, 2^24", "RTX 4090", 2**24 / 1.3e-3, "keys", large,
                  textbook.one_sweep(large, 1), WERNER),
        Published("hash table, lookups, 1e8", "H100", 16.8e9, "queries", 1e8,
                  [textbook.hash_lookups(1e8, 1.1)], COLLECTIONS),
    ]
