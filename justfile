# One command does everything that CI does: `just check`.

# Kernels compiled at one plane size must not be loaded at another, so each size has a cache of its own.
mesa_cache := env("CARGO_TARGET_DIR", justfile_directory() / "target") / "mesa"

default:
    @just --list

# Everything that must pass before a change lands.
check: format lint test planes doctest doc bare

# The source is formatted.
format:
    cargo fmt --all --check

# No warnings, in tests and examples too.
lint:
    cargo clippy --locked --workspace --all-targets -- -D warnings

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
        cargo nextest run --locked --workspace {{ if env("CI", "") == "true" { "--profile ci" } else { "" } }} {{ arguments }}

# Every example in the documentation compiles and runs.
doctest:
    cargo test --locked --workspace --doc

# The documentation has no broken link.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps

# Without default features the host remains, and no GPU engine is compiled.
bare:
    cargo clippy --locked --workspace --all-targets --no-default-features -- -D warnings
    cargo build --locked --workspace --no-default-features
    tree="$(cargo tree --locked --workspace --no-default-features --edges normal)" && ! echo "$tree" | grep cubecl

# Insert, lookup, count and range rates of the host, the best GPU and `BTreeMap`, in one run.
rates:
    cargo run --locked --release -p gpu-lsm --example rates
