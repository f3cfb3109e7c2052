// L1, for the counter of memory transactions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace counter {

constexpr size_t SECTOR = 32, LINE = 128, SECTORS_OF_LINE = LINE / SECTOR;
constexpr size_t L1_LINES = UNITS / 2;

// A cache of lines. A list of all its lines, from the least to the most recently used, runs through the slots.
struct Cache {
    struct Slot {
        uint64_t line;
        uint8_t sectors;
        unsigned before, after;
    };
    Slot slots[L1_LINES + 1];
    unsigned used = 0;
    // For each line, its slot if the slot is in use and says so.
    std::vector<uint16_t> slot_of;
    static constexpr unsigned ENDS = L1_LINES;

    void clear(size_t lines) {
        slot_of.resize(lines);
        used = 0;
        slots[ENDS].before = slots[ENDS].after = ENDS;
    }
    void unlink(unsigned at) {
        slots[slots[at].before].after = slots[at].after;
        slots[slots[at].after].before = slots[at].before;
    }
    void link_as_newest(unsigned at) {
        unsigned newest = slots[ENDS].before;
        slots[at].before = newest, slots[at].after = ENDS;
        slots[newest].after = slots[ENDS].before = at;
    }
    // Whether the cache has a sector. It has it afterwards.
    bool has(uint64_t sector) {
        uint64_t line = sector / SECTORS_OF_LINE;
        uint8_t bit = 1 << sector % SECTORS_OF_LINE;
        unsigned at = slot_of[line];
        bool has_line = at < used && slots[at].line == line, has_sector = has_line && slots[at].sectors & bit;
        if (has_line) {
            unlink(at);
        } else if (used < L1_LINES) {
            at = used++;
        } else {
            at = slots[ENDS].after;
            unlink(at);
        }
        slots[at].sectors = (has_line ? slots[at].sectors : 0) | bit;
        slots[at].line = line;
        slot_of[line] = at;
        link_as_newest(at);
        return has_sector;
    }
};

}  // namespace counter
