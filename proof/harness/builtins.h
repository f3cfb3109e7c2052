// What emitted HIP kernels use of their language, on the CPU: every unit of a cube is a fiber.
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
// The unit that runs now.
extern Index thread, block, grid;
// What the units of the cube that runs now share.
extern char *shared;
// Returns when every unit of the cube has come here: to this line of the kernel.
void wait_for_cube(unsigned line);
// An index is past the end of a shared array.
[[noreturn]] void outside(size_t index, size_t len);
// Returns when every unit of the wave has come here.
void wait_for_wave();
// What a unit gives to the others of its wave.
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

template <typename T> T atomicAdd(T *at, T by) { return __atomic_fetch_add(at, by, __ATOMIC_RELAXED); }
inline unsigned __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __ffs(unsigned bits) { return __builtin_ffs(bits); }
template <typename T> T atomicExch(T *at, T to) { return __atomic_exchange_n(at, to, __ATOMIC_RELAXED); }

// What an atomic addition must not be: for the test of the detector.
template <typename T> T plain_add(T *at, T by) {
    T before = *at;
    *at = before + by;
    return before;
}

// A value of another unit of the wave. All units of the wave must come here.
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
