// Counts what launches do to memory, in the transactions of a GPU.
//
// The kernels are compiled for ThreadSanitizer, so the compiler calls a hook at every load and store that it leaves in
// the code. Here the hooks are the counter's own: they note the address, the unit, and the place. A place is a line of
// the kernel's source together with the pass of each loop around it; not an address in the code, because the compiler
// may have copied the line. Kernels have no jumps but ifs and loops, so the units of a wave come to a place together, and
// to one place after the other in the order of the source. What a wave does at a place is one request.
//
// - In a buffer, a request costs its distinct sectors of 32 bytes, and as many passes through the load/store unit as it
//   has distinct lines of 128 bytes. Buffers start at a line.
// - Loads pass through a least-recently-used cache of lines, which stands for L1. It is empty when a cube starts, and
//   has 16 KiB for 256 units: 128 KiB of a multiprocessor for 8 such cubes. Its misses, and all stores and atomics, go to
//   L2.
// - The distinct sectors that a launch loads are the least that it must load: compulsory. Likewise for stores.
// - In shared memory, a request is served 128 bytes at a time: 32 units with words, 16 units with double words. Each such
//   part takes as many ways as one of the 32 banks has distinct words. Atomics on one word take turns, so all count.
//
// Each launch appends a line of JSON per wave size to the file that GPU_LSM_SECTORS names. If GPU_LSM_LINES is set, it
// also prints what each line of the source costs at the first wave size. Not counted: numbers that the launch passes,
// arrays of a unit's own, and registers that a GPU would spill.
#include "cache.h"
#include "counter.h"
#include "places.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace counter {

constexpr unsigned WAVES[] = {32, 64};
constexpr size_t WORD = 4, BANKS = 32, BYTES_AT_A_TIME = 128;

// The buffers of a launch, one after the other in one space of addresses. The shared memory lies behind them.
struct Memory {
    struct Range {
        uintptr_t start;
        size_t bytes, at;
    };
    std::vector<Range> ranges;
    size_t end = 0;
    Range shared;

    void clear() {
        ranges.clear();
        end = 0;
    }
    void add(const void *start, size_t bytes) {
        ranges.push_back({uintptr_t(start), bytes, end});
        end += (bytes + LINE - 1) / LINE * LINE;
    }
    // The address of an access in the space of addresses; `NOT_COUNTED` if it is in a unit's own memory.
    static constexpr size_t NOT_COUNTED = size_t(-1);
    size_t at(uintptr_t address) const {
        if (address - shared.start < shared.bytes) return shared.at + (address - shared.start);
        for (const Range &range : ranges)
            if (address - range.start < range.bytes) return range.at + (address - range.start);
        return NOT_COUNTED;
    }
};

struct Access {
    uint32_t place, size;
    uint64_t at;
    unsigned unit;
};

struct Counts {
    uint64_t requests, sectors, lines;
};

// The totals of a launch at one wave size.
struct Totals {
    Counts counts[KINDS];
    uint64_t l2_loads, shared, shared_ways;
    Cache l1;
};

// What a line of the source costs: sectors in buffers, ways in shared memory.
struct LineCosts {
    uint64_t requests, units, cost;
};

static Lines lines;
static Places places;
static Memory memory;
static const char *kernel;
static unsigned cubes;
static Path paths[UNITS];
static unsigned current;
static std::vector<Access> accesses[UNITS];
static Totals totals[std::size(WAVES)];
static std::map<std::pair<uint64_t, Kind>, LineCosts> by_line;
static std::vector<bool> touched[KINDS];
Path *path = paths;

static void note(const volatile void *address, size_t size, Kind kind, void *from) {
    size_t at = memory.at(uintptr_t(address));
    if (at == Memory::NOT_COUNTED) return;
    Place place{};
    std::copy_n(path->loops, path->depth, place.begin());
    place[path->depth] = lines.of(uintptr_t(from)) << 32;
    place.back() = kind;
    accesses[current].push_back({places.number_of(place), uint32_t(size), at, current});
}

void begin(const char *name, void *const *buffers, const size_t *bytes, unsigned count) {
    kernel = name;
    cubes = 0;
    places.clear();
    by_line.clear();
    memory.clear();
    for (unsigned i = 0; i < count; i++) memory.add(buffers[i], bytes[i]);
    for (auto &sectors : touched) sectors.assign(memory.end / SECTOR, false);
    for (Totals &total : totals) {
        std::fill_n(total.counts, size_t(KINDS), Counts{});
        total.l2_loads = total.shared = total.shared_ways = 0;
    }
}

void begin_cube(const void *shared, size_t bytes) {
    cubes++;
    memory.shared = {uintptr_t(shared), bytes, memory.end};
    for (unsigned unit = 0; unit < UNITS; unit++) {
        accesses[unit].clear();
        paths[unit].depth = 0;
    }
}

void resume(unsigned unit) {
    current = unit;
    path = &paths[unit];
}

// The accesses of one request.
using Request = const Access *;

static void sort_and_unify(std::vector<uint64_t> &numbers) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Counts a request, and returns its sectors.
static size_t count_in_buffers(Request first, Request last, Kind kind, Totals &total) {
    static std::vector<uint64_t> sectors;
    sectors.clear();
    for (Request access = first; access < last; access++)
        for (uint64_t at = access->at / SECTOR; at <= (access->at + access->size - 1) / SECTOR; at++)
            if (sectors.empty() || sectors.back() != at) sectors.push_back(at);
    sort_and_unify(sectors);
    Counts &counts = total.counts[kind];
    counts.requests++;
    counts.sectors += sectors.size();
    uint64_t line = ~uint64_t(0);
    for (uint64_t sector : sectors) {
        counts.lines += sector / SECTORS_OF_LINE != line;
        line = sector / SECTORS_OF_LINE;
        touched[kind][sector] = true;
        if (kind == LOAD) total.l2_loads += !total.l1.has(sector);
    }
    return sectors.size();
}

// The most distinct words in one bank. If they take turns, each access to a word counts as distinct.
static unsigned ways_of(std::vector<uint64_t> &words, bool take_turns) {
    if (!take_turns) sort_and_unify(words);
    unsigned in_bank[BANKS] = {};
    for (uint64_t word : words) in_bank[word % BANKS]++;
    return *std::max_element(in_bank, in_bank + BANKS);
}

// Counts a request, and returns its ways.
static size_t count_in_shared_memory(Request first, Request last, Kind kind, Totals &total) {
    static std::vector<uint64_t> words;
    size_t ways = 0;
    unsigned units_at_a_time = unsigned(BYTES_AT_A_TIME / std::max(size_t(first->size), WORD));
    for (Request access = first; access < last;) {
        words.clear();
        unsigned part = access->unit / units_at_a_time;
        for (; access < last && access->unit / units_at_a_time == part; access++)
            for (uint64_t at = access->at / WORD; at <= (access->at + access->size - 1) / WORD; at++)
                words.push_back(at);
        total.shared++;
        ways += ways_of(words, kind == ATOMIC);
    }
    total.shared_ways += ways;
    return ways;
}

// The accesses of all units, place after place in the order of execution, and at each place unit after unit.
static std::vector<Access> in_order_of_execution() {
    std::vector<size_t> next(places.all.size());
    for (auto &unit : accesses)
        for (const Access &access : unit) next[access.place]++;
    size_t all = 0;
    for (uint32_t place : places.in_order()) all += std::exchange(next[place], all);
    std::vector<Access> ordered(all);
    for (auto &unit : accesses)
        for (const Access &access : unit) ordered[next[access.place]++] = access;
    return ordered;
}

void end_cube() {
    std::vector<Access> ordered = in_order_of_execution();
    for (size_t size = 0; size < std::size(WAVES); size++) {
        unsigned wave = WAVES[size];
        totals[size].l1.clear(memory.end / LINE);
        for (Request first = ordered.data(), end = first + ordered.size(); first < end;) {
            Request last = first;
            while (last < end && last->place == first->place && last->unit / wave == first->unit / wave) last++;
            const Place &place = places.all[first->place];
            auto count = first->at >= memory.end ? count_in_shared_memory : count_in_buffers;
            size_t cost = count(first, last, kind_of(place), totals[size]);
            if (size == 0) {
                LineCosts &costs = by_line[{line_of(place), kind_of(place)}];
                costs.requests++, costs.units += last - first, costs.cost += cost;
            }
            first = last;
        }
    }
}

static void write(FILE *file, unsigned wave, const Totals &total) {
    auto compulsory = [](Kind kind) { return uint64_t(std::count(touched[kind].begin(), touched[kind].end(), true)); };
    const std::pair<const char *, uint64_t> numbers[] = {
        {"wave", wave},
        {"cubes", cubes},
        {"loads", total.counts[LOAD].requests},
        {"load_sectors", total.counts[LOAD].sectors},
        {"load_lines", total.counts[LOAD].lines},
        {"load_l2", total.l2_loads},
        {"load_compulsory", compulsory(LOAD)},
        {"stores", total.counts[STORE].requests},
        {"store_sectors", total.counts[STORE].sectors},
        {"store_lines", total.counts[STORE].lines},
        {"store_compulsory", compulsory(STORE)},
        {"atomics", total.counts[ATOMIC].requests},
        {"atomic_sectors", total.counts[ATOMIC].sectors},
        {"atomic_lines", total.counts[ATOMIC].lines},
        {"shared", total.shared},
        {"shared_ways", total.shared_ways},
    };
    fprintf(file, "{\"kernel\": \"%s\"", kernel);
    for (auto [name, number] : numbers) fprintf(file, ", \"%s\": %lu", name, number);
    fputs("}\n", file);
}

void end() {
    const char *name = getenv("GPU_LSM_SECTORS");
    FILE *file = name ? fopen(name, "a") : nullptr;
    if (!file) fail("GPU_LSM_SECTORS does not name a file that can be written");
    for (size_t size = 0; size < std::size(WAVES); size++) write(file, WAVES[size], totals[size]);
    fclose(file);
    if (!getenv("GPU_LSM_LINES")) return;
    const char *kinds[] = {"load", "store", "atomic"};
    for (auto &[at, costs] : by_line)
        fprintf(stderr, "%s: line %lu, %s: %lu requests, %.2f units, %.2f sectors or ways\n", kernel, at.first,
                kinds[at.second], costs.requests, double(costs.units) / costs.requests, double(costs.cost) / costs.requests);
}

}  // namespace counter

// --- The hooks --------------------------------------------------------------------------------------------------------

#define HERE __builtin_return_address(0)

#define ACCESSES(bytes)                                                                                                 \
    void __tsan_read##bytes(void *at) { counter::note(at, bytes, counter::LOAD, HERE); }                               \
    void __tsan_write##bytes(void *at) { counter::note(at, bytes, counter::STORE, HERE); }                             \
    void __tsan_unaligned_read##bytes(void *at) { counter::note(at, bytes, counter::LOAD, HERE); }                     \
    void __tsan_unaligned_write##bytes(void *at) { counter::note(at, bytes, counter::STORE, HERE); }

// Units are fibers of one thread, so an atomic operation needs no atomic instruction.
#define ATOMIC_OPERATION(bits, name, after)                                                                             \
    uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t *at, uint##bits##_t by, int) {                  \
        counter::note(at, bits / 8, counter::ATOMIC, HERE);                                                             \
        uint##bits##_t before = *at;                                                                                    \
        *at = after;                                                                                                    \
        return before;                                                                                                  \
    }

#define ATOMIC_OPERATIONS(bits)                                                                                         \
    ATOMIC_OPERATION(bits, fetch_add, before + by)                                                                      \
    ATOMIC_OPERATION(bits, fetch_or, before | by)                                                                       \
    ATOMIC_OPERATION(bits, exchange, by)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)
void __tsan_read_range(void *at, unsigned long bytes) { counter::note(at, bytes, counter::LOAD, HERE); }
void __tsan_write_range(void *at, unsigned long bytes) { counter::note(at, bytes, counter::STORE, HERE); }
ATOMIC_OPERATIONS(32)
ATOMIC_OPERATIONS(64)
}
