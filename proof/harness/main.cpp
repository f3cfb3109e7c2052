// Runs emitted kernels on the CPU. The library sends launches to the standard input.
//
// A launch consists of 32-bit words: the kernel's number; the grid's width and height; the number of numbers, and the
// numbers; the number of buffers, and for each its length in elements and in bytes. The bytes of all buffers follow.
// The answer is the bytes of all buffers. Cubes run one after the other in random order. Between two barriers, their
// units run as fibers in random order.
//
// ThreadSanitizer sees each fiber as a thread that only barriers synchronise, so races show however the fibers are
// scheduled. It can distinguish about 255 fibers at a time, just enough for one cube. So a separate program
// (CUBES_APART) looks for races between cubes: there, all units of a cube are one such thread. The first SLOTS cubes of
// a launch have their own stacks and shared memory. Each further cube reuses a slot, and the sanitizer is told that all
// earlier cubes have finished. This file is compiled without instrumentation.
//
// A further program (COUNTING) counts memory transactions: `counter.h` says what it is told.
#include "builtins.h"
#include "counter.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#if defined(WITH_THREAD_SANITIZER)
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
}
constexpr unsigned NO_SYNCHRONISATION = 1;
#else
static void *__tsan_get_current_fiber() { return nullptr; }
static void *__tsan_create_fiber(unsigned) { return nullptr; }
static void __tsan_switch_to_fiber(void *, unsigned) {}
static void __tsan_acquire(void *) {}
static void __tsan_release(void *) {}
constexpr unsigned NO_SYNCHRONISATION = 0;
#endif
#if defined(WITH_ADDRESS_SANITIZER)
extern "C" {
void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom, size_t *size);
}
#else
static void __sanitizer_start_switch_fiber(void **, const void *, size_t) {}
static void __sanitizer_finish_switch_fiber(void *, const void **, size_t *) {}
#endif

// One per kernel, generated from the emitted sources.
struct Kernel {
    const char *name;
    unsigned buffers;
    size_t shared_bytes;
    void (*call)(void **arguments);
};
extern const Kernel kernels[];
extern const unsigned kernel_count;

namespace harness {

Index thread, block, grid;
char *shared;

constexpr size_t STACK_BYTES = 32 << 10;
// The number of cubes of a launch that have their own memory.
#if defined(CUBES_APART)
constexpr unsigned SLOTS = 32;
#else
constexpr unsigned SLOTS = 8;
#endif
constexpr size_t SHARED_BYTES = 32 << 10;

enum class State { ready, at_cube_barrier, at_wave_barrier, done };

struct Fiber {
    ucontext_t context;
    void *sanitizer;
    void *fake_stack;
    char *stack;
    State state;
    unsigned barriers;
    unsigned line;
};

// The memory that a cube runs on. Each barrier exists twice, and the two take turns: a unit that leaves a barrier must
// not be synchronised with units that have already reached the next one.
struct Slot {
    Fiber fibers[UNITS];
    char shared[SHARED_BYTES];
    char cube_barrier[2], wave_barriers[UNITS][2];
    uint64_t values[UNITS];
};

static Slot *slots_of_cubes, *cube_slot;
static Fiber *fibers;
static ucontext_t scheduler;
static void *scheduler_sanitizer, *scheduler_fake_stack;
static const void *scheduler_bottom;
static size_t scheduler_size;
static unsigned current;
static char cube_start, launch_end;
static const Kernel *kernel;
static void **arguments;
static std::mt19937 order;

unsigned lane() { return current % WAVE; }
uint64_t &slot(unsigned lane) { return cube_slot->values[current / WAVE * WAVE + lane]; }

// Switches to the scheduler, and returns when the scheduler resumes this unit.
static void leave(State state) {
    Fiber &fiber = fibers[current];
    fiber.state = state;
    __sanitizer_start_switch_fiber(state == State::done ? nullptr : &fiber.fake_stack, scheduler_bottom, scheduler_size);
    __tsan_switch_to_fiber(scheduler_sanitizer, NO_SYNCHRONISATION);
    swapcontext(&fiber.context, &scheduler);
    __sanitizer_finish_switch_fiber(fiber.fake_stack, &scheduler_bottom, &scheduler_size);
}

void outside(size_t index, size_t len) {
    fprintf(stderr, "%s: element %zu of a shared array of %zu\n", kernel->name, index, len);
    abort();
}

void wait_for_cube(unsigned line) {
    fibers[current].line = line;
    char *barrier = &cube_slot->cube_barrier[fibers[current].barriers++ % 2];
    __tsan_release(barrier);
    leave(State::at_cube_barrier);
    __tsan_acquire(barrier);
}

// Units meet, so that no value is read too early and leads a unit astray before the race is reported.
void meet(unsigned line) {
    fibers[current].line = line;
    leave(State::at_cube_barrier);
}

void wait_for_wave() {
    char *barrier = &cube_slot->wave_barriers[current / WAVE][fibers[current].barriers++ % 2];
    __tsan_release(barrier);
    leave(State::at_wave_barrier);
    __tsan_acquire(barrier);
}

static void run_unit() {
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom, &scheduler_size);
    __tsan_acquire(&cube_start);
    kernel->call(arguments);
    __tsan_release(&launch_end);
    leave(State::done);
}

static void start(Fiber &fiber) {
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack;
    fiber.context.uc_stack.ss_size = STACK_BYTES;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, run_unit, 0);
    fiber.fake_stack = nullptr;
    fiber.barriers = 0;
    fiber.state = State::ready;
}

static void resume(unsigned unit) {
    current = unit;
    thread = {unit, 0, 0};
    counter::resume(unit);
    Fiber &fiber = fibers[unit];
    __sanitizer_start_switch_fiber(&scheduler_fake_stack, fiber.stack, STACK_BYTES);
    __tsan_switch_to_fiber(fiber.sanitizer, NO_SYNCHRONISATION);
    swapcontext(&scheduler, &fiber.context);
    __sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr);
}

// Lets units continue that have all reached the same barrier. Returns false if all units are done.
static bool open_barriers() {
    bool any = false, all_done = true, all_at_cube = true;
    for (unsigned unit = 0; unit < UNITS; unit++) {
        Fiber &fiber = fibers[unit];
        all_done &= fiber.state == State::done;
        all_at_cube &= fiber.state == State::at_cube_barrier;
    }
    if (all_done) return false;
    for (unsigned wave = 0; wave < UNITS; wave += WAVE) {
        bool is_at_barrier = true;
        for (unsigned unit = wave; unit < std::min(wave + WAVE, unsigned(UNITS)); unit++)
            is_at_barrier &= fibers[unit].state == State::at_wave_barrier;
        for (unsigned unit = wave; is_at_barrier && unit < std::min(wave + WAVE, unsigned(UNITS)); unit++) {
            fibers[unit].state = State::ready;
            any = true;
        }
    }
    if (all_at_cube) {
        for (unsigned unit = 1; unit < UNITS; unit++) {
            if (fibers[unit].line == fibers[0].line) continue;
            fprintf(stderr, "%s: units wait at different barriers\n", kernel->name);
            abort();
        }
        for (unsigned unit = 0; unit < UNITS; unit++) fibers[unit].state = State::ready;
        any = true;
    }
    if (!any) {
        fprintf(stderr, "%s: some units wait at a barrier that others never reach\n", kernel->name);
        abort();
    }
    return true;
}

// Fills fresh memory, so that memory that is read before it is written is not zero by chance.
constexpr char GARBAGE = char(0xA5);

static void run_cube(unsigned cube, Slot &slot) {
    block = {cube % grid.x, cube / grid.x, 0};
    cube_slot = &slot;
    fibers = slot.fibers;
#if defined(WITH_ADDRESS_SANITIZER)
    // Exactly as large as declared, so that every access outside is noticed.
    shared = (char *)malloc(kernel->shared_bytes);
#else
    shared = slot.shared;
#endif
    std::fill_n((volatile char *)shared, kernel->shared_bytes, GARBAGE);
    counter::begin_cube(shared, kernel->shared_bytes);
    std::vector<unsigned> units(UNITS);
    std::iota(units.begin(), units.end(), 0);
    __tsan_release(&cube_start);
    for (unsigned unit : units) start(fibers[unit]);
    do {
        std::shuffle(units.begin(), units.end(), order);
        for (unsigned unit : units)
            while (fibers[unit].state == State::ready) resume(unit);
    } while (open_barriers());
    counter::end_cube();
#if defined(WITH_ADDRESS_SANITIZER)
    free(shared);
#endif
}

static void make_slots() {
    slots_of_cubes = new Slot[SLOTS];
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        void *cube = __tsan_create_fiber(0);
        for (Fiber &fiber : slots_of_cubes[slot].fibers) {
            fiber.stack = (char *)mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if defined(CUBES_APART)
            fiber.sanitizer = cube;
#else
            fiber.sanitizer = __tsan_create_fiber(0);
#endif
        }
    }
}

static void run(const Kernel &what, void **with) {
    kernel = &what;
    arguments = with;
    scheduler_sanitizer = __tsan_get_current_fiber();
    std::vector<unsigned> cubes(grid.x * grid.y);
    std::iota(cubes.begin(), cubes.end(), 0);
    std::shuffle(cubes.begin(), cubes.end(), order);
    for (unsigned i = 0; i < cubes.size(); i++) {
        if (i >= SLOTS) __tsan_acquire(&launch_end);
        run_cube(cubes[i], slots_of_cubes[i % SLOTS]);
    }
    __tsan_acquire(&launch_end);
}

}  // namespace harness

static bool read_all(void *to, size_t bytes) { return bytes == 0 || fread(to, bytes, 1, stdin) == 1; }

static uint32_t word() {
    uint32_t word;
    if (!read_all(&word, 4)) exit(1);
    return word;
}

// A buffer with inaccessible memory behind it: 32 GiB, as far as a 32-bit index of 8-byte elements can reach. With a
// sanitizer, plain memory is enough, because the sanitizer notices accesses outside.
struct Buffer {
    char *memory;
    size_t bytes;
#if defined(WITH_ADDRESS_SANITIZER) || defined(WITH_THREAD_SANITIZER)
    explicit Buffer(size_t bytes) : memory((char *)malloc(bytes)), bytes(bytes) {}
    void release() { free(memory); }
#else
    static constexpr size_t REACH = size_t(33) << 30, PAGE = 4096;
    char *mapping;
    explicit Buffer(size_t bytes) : bytes(bytes) {
        size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
        mapping = (char *)mmap(nullptr, pages + REACH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapping == MAP_FAILED || (pages && mprotect(mapping, pages, PROT_READ | PROT_WRITE))) abort();
        memory = mapping + (pages - bytes);
    }
    void release() { munmap(mapping, (bytes + PAGE - 1) / PAGE * PAGE + REACH); }
#endif
};

static void pad(std::vector<uint32_t> &words) {
    if (words.size() % 2) words.push_back(0);
}

int main() {
    const char *seed = getenv("GPU_LSM_CUBE_ORDER");
    harness::order.seed(seed ? atoi(seed) : 0);
    harness::make_slots();
    bool is_short = getenv("GPU_LSM_SHORT_BUFFERS") != nullptr;
    uint32_t number;
    while (read_all(&number, 4)) {
        if (number >= kernel_count) return 2;
        const Kernel &kernel = kernels[number];
        harness::grid = {word(), word(), 1};
        std::vector<uint32_t> info(word());
        for (uint32_t &number : info) number = word();
        pad(info);
        if (word() != kernel.buffers) return 3;
        std::vector<uint32_t> lens;
        std::vector<size_t> bytes;
        for (unsigned i = 0; i < kernel.buffers; i++) lens.push_back(word()), bytes.push_back(word());
        info.insert(info.end(), lens.begin(), lens.end());
        pad(info);
        std::vector<Buffer> buffers;
        std::vector<void *> arguments;
        for (size_t size : bytes) {
            // Exactly as large as declared, as above; or one word less, if the test of the detector asks for it.
            size_t cut = is_short && size > 4 ? 4 : 0;
            buffers.emplace_back(size - cut);
            char rest[4];
            if (!read_all(buffers.back().memory, size - cut) || !read_all(rest, cut)) return 4;
            arguments.push_back(buffers.back().memory);
        }
        arguments.push_back(info.data());
        counter::begin(kernel.name, arguments.data(), bytes.data(), kernel.buffers);
        harness::run(kernel, arguments.data());
        counter::end();
        for (unsigned i = 0; i < kernel.buffers; i++) {
            if (buffers[i].bytes) fwrite(buffers[i].memory, buffers[i].bytes, 1, stdout);
            for (size_t cut = buffers[i].bytes; cut < bytes[i]; cut++) putchar(0);
            buffers[i].release();
        }
        fflush(stdout);
    }
    return 0;
}
