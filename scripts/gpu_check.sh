#!/bin/sh
# On a machine with an NVIDIA GPU, inside ten minutes: builds for its architecture, runs the GPU tests (none may be
# skipped) and the gallery, the tests once more under compute-sanitizer where that is installed, then the benchmark. Its own
# figures go to bench/results/<device>-<date>-<commit>.json, the log beside them (.txt). Nothing is written that was not
# measured.
#
#   scripts/gpu_check.sh [--skip-sanitizer] [arguments of manychain_bench]
#
# MANYCHAIN_COMMIT=... names the commit in a copy of the tree that has no .git.
set -eu
cd "$(dirname "$0")/.."

say() { printf '\n== %s (%s s)\n' "$*" "$(($(date +%s) - start))"; }
fail() { echo "gpu_check: $*" >&2; exit 1; }
start=$(date +%s)

sanitizer=1
if [ "${1:-}" = --skip-sanitizer ]; then sanitizer=0; shift; fi

command -v nvidia-smi >/dev/null || fail "there is no nvidia-smi: no NVIDIA driver, no GPU"
gpu=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null | head -n 1) || true
[ -n "$gpu" ] || fail "nvidia-smi sees no GPU"
device=$(echo "$gpu" | cut -d, -f1)
architecture=$(echo "$gpu" | cut -d, -f2 | tr -d ' .')
case "$architecture" in "" | *[!0-9]*) fail "nvidia-smi does not tell the compute capability: $gpu" ;; esac

PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || fail "there is no nvcc on the PATH or in /usr/local/cuda/bin"
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
jobs=$(nproc)
export MANYCHAIN_REQUIRE_GPU=1

name=$(echo "$device" | sed 's/NVIDIA //; s/[^A-Za-z0-9]\{1,\}/-/g; s/-$//' | tr '[:upper:]' '[:lower:]')
commit=$(cmake -P cmake/commit.cmake 2>&1)
result=bench/results/$name-$(date -u +%Y-%m-%d)-$commit
build=build-gpu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() {
  say "$gpu, nvcc $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p'), commit $commit"

  say "build for architecture $architecture"
  cmake --preset cuda -B $build -DMANYCHAIN_CUDA_ARCHITECTURES="$architecture" >"$work/configure.log" 2>&1 ||
    { cat "$work/configure.log"; return 1; }
  cmake --build $build --parallel "$jobs" || return 1

  say "GPU tests"
  ctest --test-dir $build -L gpu --no-tests=error --output-on-failure || return 1

  say "gallery"
  $build/bin/manychain gallery --all --backend cuda || return 1

  if [ $sanitizer = 1 ] && command -v compute-sanitizer >/dev/null; then
    say "GPU tests under compute-sanitizer"
    # The statistical ones need too many chains for a tool that makes kernels a hundred times slower.
    for tool in memcheck initcheck; do
      timeout 120 compute-sanitizer --tool $tool --error-exitcode 9 $build/bin/backends \
        --gtest_filter="${GPU_CHECK_FILTER:--*Statistic*:*Invarian*:*Posterior*:*Slow*}" || return 1
    done
  else
    say "compute-sanitizer: not run"
  fi

  say "benchmark"
  $build/bin/manychain_bench --backend cuda --json "$work/result.json" "$@" || return 1
  [ -s "$work/result.json" ] || { echo "the benchmark wrote no figures"; return 1; }
  $build/bin/manychain_bench --backend cuda --compare || return 1
  say "done"
}

# That check() passed goes past tee in a file: plain sh has no pipefail.
{ if check "$@" 2>&1; then touch "$work/passed"; fi; } | tee "$work/log"
[ -f "$work/passed" ] || fail "failed; no result was written"
mkdir -p bench/results
cp "$work/result.json" "$result.json"
cp "$work/log" "$result.txt"
echo "Written: $result.json and .txt"
