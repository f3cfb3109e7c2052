# One command does everything that CI does: `just check`.

# Kernels compiled at one plane size must not be loaded at another, so each size has a cache of its own.
mesa_cache := env("CARGO_TARGET_DIR", justfile_directory() / "target") / "mesa"

# Everything but the proofs, which need the engine with other features, and the benches' rivals on the CPU.
workspace := "--workspace --exclude gpu-lsm-proof --exclude gpu-lsm-rivals"

# What proofs make, and their results.
proof := absolute_path(env("CARGO_TARGET_DIR", justfile_directory() / "target") / "proof")

default:
    @just --list

# Everything that must pass before a change lands.
check: format lint test planes doctest doc bare prove-kernels

# The source is formatted.
format:
    cargo fmt --all --check

# No warnings, in tests and examples too.
lint:
    cargo clippy --locked {{ workspace }} --all-targets -- -D warnings
    cargo clippy --locked -p gpu-lsm-proof --all-targets -- -D warnings

# All tests, on the host and on the best GPU there is; with Mesa's software Vulkan at plane size 8.
test *arguments: (nextest "256" "100000" arguments)

# What runs at the other plane sizes: every GPU test but those of the command and of the largest buffers.
gpu_tests := "-E 'test(/gpu/) - test(/limits|pieces/) - package(gpu-lsm-cli)'"

# The GPU tests at the other plane sizes of Mesa's software Vulkan, 4 and 16.
planes: (nextest "128" "10000" gpu_tests) (nextest "512" "10000" gpu_tests)

[private]
nextest width operations *arguments:
    mkdir -p {{ mesa_cache }}
    LP_NATIVE_VECTOR_WIDTH={{ width }} MESA_SHADER_CACHE_DIR={{ mesa_cache }}/{{ width }} \
    GPU_LSM_MODEL_OPERATIONS={{ operations }} \
        cargo nextest run --locked {{ workspace }} {{ if env("CI", "") == "true" { "--profile ci" } else { "" } }} {{ arguments }}

# Every example in the documentation compiles and runs.
doctest:
    cargo test --locked {{ workspace }} --doc

# The documentation has no broken link.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --locked {{ workspace }} --no-deps

# Without default features the host remains, and no GPU engine is compiled.
bare:
    cargo clippy --locked {{ workspace }} --all-targets --no-default-features -- -D warnings
    cargo build --locked {{ workspace }} --no-default-features
    tree="$(cargo tree --locked {{ workspace }} --no-default-features --edges normal)" && ! echo "$tree" | grep cubecl

# Insert, lookup, count and range rates of the host, the best GPU and `BTreeMap`, in one run.
rates:
    cargo run --locked --release -p gpu-lsm --example rates

# The evaluation, rivals on the CPU included: `just bench all --device host`. See REPRODUCE.md.
bench *arguments:
    cargo run --locked --release -p gpu-lsm-cli --features rivals -- bench {{ arguments }}

# Writes what was measured into README and REPRODUCE, and one page of it all; a test says whether they are current.
documents: (bench "report --markdown")

# The rivals on the CPU, which a plain build and test leave out.
rivals:
    cargo clippy --locked {{ with_rivals }} --all-targets -- -D warnings
    cargo nextest run --locked {{ with_rivals }} -E '(package(gpu-lsm-rivals) + package(gpu-lsm-bench)) - test(/gpu/)'

with_rivals := "--workspace --exclude gpu-lsm-proof --features gpu-lsm-cli/rivals"

# All proofs without a GPU: see PORTABILITY.md.
prove: prove-kernels prove-races
    GPU_LSM_CUBE_ORDER=3 just elsewhere wave64 "{{ dictionary_elsewhere }}"

# Every kernel as CUDA, HIP and Metal source, into a folder that is not committed.
emit:
    rm -rf {{ proof }}/emitted
    cargo run --quiet --locked -p gpu-lsm-proof -- {{ proof }}/emitted

# The short form, in CI: every kernel emitted, compiled for CUDA, and run from its HIP source within exact bounds.
prove-kernels: emit
    python3 proof/cuda.py {{ proof }}/emitted proof/cuda.tsv
    git diff --exit-code -- proof/cuda.tsv
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/wave32 --wave 32
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/wave64 --wave 64
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/bounds --wave 64 --sanitizer address
    just elsewhere wave32 "{{ primitives_elsewhere }} + {{ dictionary_elsewhere }}"
    GPU_LSM_CUBE_ORDER=1 just elsewhere wave64 "{{ primitives_elsewhere }}"
    GPU_LSM_CUBE_ORDER=2 just elsewhere bounds "{{ primitives_elsewhere }}"

# Races, and that they would be found.
prove-races: emit
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/races --sanitizer thread
    just elsewhere races "{{ primitives_elsewhere }}"
    python3 proof/harness.py {{ proof }}/emitted {{ proof }}/cubes --sanitizer thread --cubes-apart
    just elsewhere cubes "{{ primitives_elsewhere }}"
    python3 proof/detector.py {{ proof }}/emitted {{ proof }} -- just elsewhere_command

# Tests whose sizes are those of the largest buffers, of the command, or too many for kernels on the CPU.
too_large := "test(/limits|pieces|million|long|more_than_a_tile_of_tiles|32_bits|eight_readers|space|faults|self_test/)"
primitives_elsewhere := "package(gpu-lsm-primitives) & test(/gpu/) - " + too_large
dictionary_elsewhere := "package(gpu-lsm) & test(/gpu/) - " + too_large + " - test(/shared|choice_of_gpu/)"

# Runs tests on kernels that were compiled from what was emitted.
[private]
elsewhere program filter:
    GPU_LSM_KERNELS={{ proof }}/{{ program }}/kernels just elsewhere_command "{{ filter }}"

[private]
elsewhere_command filter:
    GPU_LSM_LARGEST=12295 GPU_LSM_MODEL_OPERATIONS=1500 TSAN_OPTIONS="halt_on_error=1 history_size=0" \
        cargo nextest run --locked {{ workspace }} --features gpu-lsm/proof --no-fail-fast \
        {{ if env("CI", "") == "true" { "--profile ci" } else { "" } }} -E "{{ filter }}"
