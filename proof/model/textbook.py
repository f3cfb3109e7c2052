"""Launches whose transactions are known without counting: those that others published rates of."""
import bounds
from bounds import LINE, SECTOR, UNITS, Launch

WAVE = 32
WORD = 4
#: Sectors and lines of a wave that loads or stores neighbouring words.
ROW_SECTORS, ROW_LINES = WAVE * WORD / SECTOR, WAVE * WORD / LINE


def streamed(kernel, loaded, stored, per_unit=1, **more):
    """A launch that loads and stores so many words side by side. A unit has `per_unit` words, loaded or stored."""
    loads, stores = loaded / WAVE, stored / WAVE
    return Launch(
        kernel, max(loaded, stored) / per_unit / UNITS,
        loads=loads, load_sectors=loads * ROW_SECTORS, load_lines=loads * ROW_LINES, load_l2=loads * ROW_SECTORS,
        load_compulsory=loads * ROW_SECTORS,
        stores=stores, store_sectors=stores * ROW_SECTORS, store_lines=stores * ROW_LINES,
        store_compulsory=stores * ROW_SECTORS, **more)


def copy(words):
    return streamed("copy", words, words)


def transposition(words, across=WAVE):
    """A wave loads rows and stores columns. `across` of its lanes lie in one row, as many columns of the output."""
    row = copy(words)
    stores = row.stores
    return Launch(
        "transposition", row.cubes, loads=row.loads, load_sectors=row.load_sectors,
        load_lines=row.loads * WAVE / across, load_l2=row.load_l2, load_compulsory=row.load_compulsory, stores=stores,
        store_sectors=stores * across, store_lines=stores * across, store_compulsory=row.store_compulsory)


def staged_transposition(words, is_padded):
    """Through a tile in shared memory, whose columns lie in one bank unless it is padded."""
    tile_bytes = WAVE * (WAVE + is_padded) * WORD
    ways = words / WAVE * (1 + (1 if is_padded else WAVE))
    return streamed("staged_transposition", words, words, per_unit=4, shared=2 * words / WAVE, shared_ways=ways,
                    shared_bytes=tile_bytes)


def merge(pairs, words=2):
    """A merge of sorted lists that stages tiles of 11 items a unit, as ours; 4 % of its loads find the ends of tiles.

    In shared memory each word is written, read in merged order, and for values written and read again; 1.8 ways on
    average, as counted.
    """
    launch = streamed("merge", pairs * words, pairs * words, per_unit=11 * words, registers=40, shared_bytes=12 * 1024)
    requests = pairs / WAVE * 2 * words
    return bounds.dataclasses.replace(launch, load_l2=1.04 * launch.load_l2, load_sectors=1.04 * launch.load_sectors,
                                      shared=requests, shared_ways=1.8 * requests)


def merge_sort(pairs, tile):
    """Tiles sorted in shared memory, then one merge for each doubling."""
    passes = 0
    while tile << passes < pairs:
        passes += 1
    return [merge(pairs)] * (1 + passes)


def radix_pass(items, words, digits, tile):
    """One pass that puts items of so many words in the order of a digit. Each tile writes a stretch for each digit.

    A stretch starts and ends within a sector, so that each costs one sector more. In shared memory an item takes six
    requests to find its rank, and each of its words two, at two ways.
    """
    moved = items * words
    launch = streamed("radix_pass", moved, moved, per_unit=16 * words, registers=48, shared_bytes=16 * 1024)
    torn = 1 + digits * (SECTOR // WORD) / tile
    requests = items / WAVE * (6 + 2 * words)
    return bounds.dataclasses.replace(
        launch, store_sectors=torn * launch.store_sectors, store_lines=launch.stores * (1 + digits * WAVE / tile),
        shared=requests, shared_ways=2 * requests)


def radix_sort(items, words, bits, tile):
    """A pass for each digit of so many bits, which counts all digits of its keys before it moves them."""
    launches = []
    for digit in bits:
        launches += [streamed("radix_count", items, 0, per_unit=16), streamed("radix_scan", items * 2**digit / tile, 0),
                     radix_pass(items, words, 2**digit, tile)]
    return launches


def one_sweep(items, words, tile=8064):
    """All digits of 8 bits are counted at once; then each of four passes loads and stores once."""
    return [streamed("radix_count", items, 0, per_unit=16)] + [radix_pass(items, words, 256, tile)] * 4


def hash_lookups(queries, sectors):
    """Lookups that load so many random sectors each, from a table that is much larger than L2."""
    launch = streamed("baseline_cuckoo_lookup", queries, queries)
    scattered = queries * sectors
    return bounds.dataclasses.replace(
        launch, loads=launch.loads + scattered / WAVE, load_sectors=launch.load_sectors + scattered,
        load_lines=launch.load_lines + scattered, load_l2=launch.load_l2 + scattered, at_random=scattered)
