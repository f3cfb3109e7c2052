// The places of accesses, for the counter of memory transactions.
#pragma once
#include "counter.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <unistd.h>
#include <vector>

namespace counter {

[[noreturn]] static void fail(const char *message) {
    fprintf(stderr, "the counter: %s\n", message);
    abort();
}

enum Kind { LOAD, STORE, ATOMIC, KINDS };

// The passes of the loops around a line, the line, and the kind of access. Compares in the order of execution.
using Place = std::array<uint64_t, DEEPEST + 2>;

static Kind kind_of(const Place &place) { return Kind(place.back()); }

static uint64_t line_of(const Place &place) {
    return *std::find_if(place.rbegin() + 1, place.rend(), [](uint64_t step) { return step != 0; }) >> 32;
}

static uint64_t hash_of(const Place &place) {
    uint64_t hash = 0;
    for (uint64_t step : place) hash = (hash ^ step) * 0x9E3779B97F4A7C15, hash ^= hash >> 32;
    return hash;
}

// The places of a launch, each with a number. A hash table with open addressing.
struct Places {
    std::vector<Place> all;
    std::vector<uint32_t> table = std::vector<uint32_t>(1 << 12);
    std::vector<uint32_t> order;

    // The entry of a place: its number plus one, or 0 if it has none yet.
    uint32_t &entry_of(const Place &place) {
        for (size_t at = hash_of(place);; at++) {
            uint32_t &entry = table[at & (table.size() - 1)];
            if (!entry || all[entry - 1] == place) return entry;
        }
    }
    uint32_t number_of(const Place &place) {
        uint32_t &entry = entry_of(place);
        if (entry) return entry - 1;
        all.push_back(place);
        entry = uint32_t(all.size());
        if (all.size() * 2 > table.size()) {
            table.assign(table.size() * 2, 0);
            for (uint32_t number = 0; number < all.size(); number++) entry_of(all[number]) = number + 1;
        }
        return uint32_t(all.size() - 1);
    }
    void clear() {
        all.clear();
        order.clear();
        std::fill(table.begin(), table.end(), 0);
    }
    // The numbers of all places in the order of execution.
    const std::vector<uint32_t> &in_order() {
        if (order.size() == all.size()) return order;
        order.resize(all.size());
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return all[a] < all[b]; });
        return order;
    }
};

// The line of the source from which each hook is called, by the address to which it returns. `harness.py` writes them to
// a file beside the program.
struct Lines {
    uintptr_t first = 0;
    std::vector<uint32_t> lines;

    Lines() {
        char path[4096];
        ssize_t len = readlink("/proc/self/exe", path, sizeof path - 8);
        if (len < 0) fail("the program has no name");
        snprintf(path + len, 8, ".lines");
        FILE *file = fopen(path, "r");
        if (!file) fail("there are no lines beside the program");
        unsigned long address;
        unsigned line;
        while (fscanf(file, "%lx %u", &address, &line) == 2) {
            if (lines.empty()) first = address;
            lines.resize(address - first + 1);
            lines.back() = line;
        }
        fclose(file);
    }
    uint64_t of(uintptr_t address) const {
        if (address - first >= lines.size() || !lines[address - first]) fail("a hook is called from an unknown line");
        return lines[address - first];
    }
};

}  // namespace counter
