// What the harness tells the counter of memory transactions, see `counter.cpp`. Other programs compile it to nothing.
#pragma once
#include <cstddef>
#include <cstdint>

namespace counter {

#if defined(COUNTING)

// The most loops within each other.
constexpr unsigned DEEPEST = 6;

// The loops that a unit is in, outermost first: for each, its line in the upper half, and the pass in the lower half.
// The compiler does not see that hooks read it.
struct Path {
    volatile uint64_t depth;
    volatile uint64_t loops[DEEPEST];
};

// The path of the running unit.
extern Path *path;

// A loop of a kernel, while a unit is in it. `harness.py` puts one before each loop.
struct Loop {
    explicit Loop(uint64_t line) {
        if (path->depth == DEEPEST) __builtin_trap();
        path->loops[path->depth] = line << 32;
        path->depth = path->depth + 1;
    }
    void pass() { path->loops[path->depth - 1] = path->loops[path->depth - 1] + 1; }
    ~Loop() { path->depth = path->depth - 1; }
};

// A launch starts with these buffers.
void begin(const char *kernel, void *const *buffers, const size_t *bytes, unsigned count);
// A cube starts, with this shared memory.
void begin_cube(const void *shared, size_t bytes);
// A unit of the cube continues.
void resume(unsigned unit);
void end_cube();
// The launch has ended, and its transactions are written to the file that the environment names.
void end();

#else

inline void begin(const char *, void *const *, const size_t *, unsigned) {}
inline void begin_cube(const void *, size_t) {}
inline void resume(unsigned) {}
inline void end_cube() {}
inline void end() {}

#endif

}  // namespace counter
