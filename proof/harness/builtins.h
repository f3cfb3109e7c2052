// The parts of HIP that emitted kernels use, on the CPU. Every unit of a cube is a fiber.
#pragma once
#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __shared__
#define __launch_bounds__(units)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct Index {
    unsigned x, y, z;
};

namespace harness {
// The indices of the running unit.
extern Index thread, block, grid;
// The shared memory of the running cube.
extern char *shared;
// Returns when every unit of the cube has reached this line of the kernel.
void wait_for_cube(unsigned line);
// The same, but the sanitizer is not told. Stands for a barrier that is left out.
void meet(unsigned line);
// Reports an index past the end of a shared array.
[[noreturn]] void outside(size_t index, size_t len);
// Returns when every unit of the wave has called it.
void wait_for_wave();
// The value that a lane offers to the other units of its wave.
uint64_t &slot(unsigned lane);
unsigned lane();
}  // namespace harness

#define threadIdx harness::thread
#define blockIdx harness::block
#define gridDim harness::grid
#define warpSize WAVE

#define __syncthreads() harness::wait_for_cube(__LINE__)

template <typename T> T min(T a, T b) { return b < a ? b : a; }
template <typename T> T max(T a, T b) { return a < b ? b : a; }

inline uint32_t __umulhi(uint32_t a, uint32_t b) { return uint64_t(a) * b >> 32; }

// Inlined, so that the counter of memory transactions sees the line of the kernel.
template <typename T> __attribute__((always_inline)) inline T atomicAdd(T *at, T by) { return __atomic_fetch_add(at, by, __ATOMIC_RELAXED); }
template <typename T> __attribute__((always_inline)) inline T atomicExch(T *at, T to) { return __atomic_exchange_n(at, to, __ATOMIC_RELAXED); }

inline unsigned __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(bits); }

// A wrong atomic addition, for the test of the detector.
template <typename T> T plain_add(T *at, T by) {
    T before = *at;
    *at = before + by;
    return before;
}

// The value of another unit of the wave. All units of the wave must call it.
template <typename T> T from_lane(T value, unsigned lane) {
    static_assert(sizeof(T) <= sizeof(uint64_t));
    __builtin_memcpy(&harness::slot(harness::lane()), &value, sizeof(T));
    harness::wait_for_wave();
    T other;
    __builtin_memcpy(&other, &harness::slot(lane % WAVE), sizeof(T));
    harness::wait_for_wave();
    return other;
}

template <typename T> T __shfl(T value, unsigned lane) { return from_lane(value, lane); }
template <typename T> T __shfl_xor(T value, unsigned mask) { return from_lane(value, harness::lane() ^ mask); }
template <typename T> T __shfl_up(T value, unsigned by) {
    unsigned lane = harness::lane();
    return from_lane(value, lane < by ? lane : lane - by);
}
template <typename T> T __shfl_down(T value, unsigned by) {
    unsigned lane = harness::lane();
    return from_lane(value, lane + by < WAVE ? lane + by : lane);
}
inline uint64_t __ballot(int is_set) {
    uint64_t bits = 0;
    for (unsigned lane = 0; lane < WAVE; lane++) bits |= uint64_t(from_lane(unsigned(is_set != 0), lane)) << lane;
    return bits;
}
