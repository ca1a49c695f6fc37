#!/bin/sh
# Tests manychain on the NVIDIA GPU of this machine, measures it, and keeps the figures, all within ten minutes: first the
# tests, then the gallery and the benchmark, compute-sanitizer with the time that is left. Every stage runs, whatever those
# before it found, and a stage that hangs takes no other's time.
#
#   scripts/gpu_check.sh [OPTION...] [arguments of manychain_bench]     builds the four programs it needs, then runs them
#   gpu_check.sh --prebuilt DIR [OPTION...] [arguments ...]             runs those that scripts/gpu_pack.sh put into DIR
#
#   --results DIR     where figures go; default: bench/results here, or DIR/results of a packed one
#   --skip-sanitizer  tests and benchmark alone
#   --try             with --prebuilt: only unpacks the programs and starts each; needs no GPU
#
# Writes <device>-<date>-<commit>.json and the log beside it (.txt); nothing that was not measured. Figures that were measured
# beside a failure say so: the name ends in -failed, and "failed" in the file says what did. Exit status: 0; 1 if a test, the
# gallery or the benchmark failed; 2 for a wrong call, and for packed programs that cannot run on this GPU or with its driver;
# 3 if compute-sanitizer alone found something: the log says what. That it or the gallery ran out of time is said, and is no
# failure.
#
# MANYCHAIN_COMMIT=... names the commit in a copy of the tree that has no .git. GPU_CHECK_SECONDS=... is the time for all
# (570; building does not count), GPU_CHECK_FILTER=... the tests that run under compute-sanitizer.
set -eu

fail() { echo "gpu_check: $*" >&2; exit 1; }
usage() { echo "gpu_check: $*; see the head of $0" >&2; exit 2; }
unfit() { echo "gpu_check: $*" >&2; exit 2; }
say() { printf '\n== %s (%s s)\n' "$*" "$(($(date +%s) - start))"; }

prebuilt='' results='' sanitizer=1 try=0
while [ $# -gt 0 ]; do
  case "$1" in
    --prebuilt) [ $# -gt 1 ] || usage "--prebuilt needs a folder"; prebuilt=$2; shift 2 ;;
    --results) [ $# -gt 1 ] || usage "--results needs a folder"; results=$2; shift 2 ;;
    --skip-sanitizer) sanitizer=0; shift ;;
    --try) try=1; shift ;;
    *) break ;;
  esac
done
here=$(cd "$(dirname "$0")" && pwd)
if [ -n "$prebuilt" ]; then
  [ -f "$prebuilt/manifest" ] || usage "there is no manifest in $prebuilt: make it with scripts/gpu_pack.sh"
  prebuilt=$(cd "$prebuilt" && pwd)
  results=${results:-$prebuilt/results}
else
  [ $try = 0 ] || usage "--try goes with --prebuilt"
  [ -f "$here/../CMakePresets.json" ] || usage "there is no source here: give --prebuilt DIR"
  results=${results:-$here/../bench/results}
fi
case "$results" in /*) ;; *) results=$PWD/$results ;; esac
start=$(date +%s)
seconds=${GPU_CHECK_SECONDS:-570}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

told() { sed -n "s/^$1=//p" "$prebuilt/manifest"; }

# Runs a program of ours with the libraries it came with, before those of the machine.
ours() {
  program=$1
  shift
  env LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$programs/$program" "$@"
}

all_start() {
  ours manychain --version >"$work/started" 2>&1 && ours backends --gtest_list_tests >"$work/started" 2>&1 &&
    ours manychain_bench --backend cpu --list >"$work/started" 2>&1
}

unpack() {
  tar xf "$(ls "$prebuilt"/programs.tar.*)" -C "$work" || return 1
  programs=$work/bin libraries=$work/lib
  case "$(told isa)" in
    avx512) flags="avx512f avx512dq" ;;
    avx2) flags="avx2 fma" ;;
    *) flags= ;;
  esac
  for flag in $flags; do
    if ! grep -qw "$flag" /proc/cpuinfo; then
      echo "the programs are built for $(told isa), which this CPU lacks: pack them with --isa avx2 or sse2"
      return 1
    fi
  done
  # The compiler's own libraries only where those of the machine are older or missing: what else is loaded, the driver
  # for one, may need the newer ones.
  all_start && return 0
  libraries=$libraries:$work/lib/compiler
  all_start && return 0
  echo "a program does not start here: $(head -n 1 "$work/started")"
  echo "(packed where glibc was $(told glibc); here it is $(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown))"
  return 1
}

build() {
  PATH=$PATH:/usr/local/cuda/bin
  command -v nvcc >/dev/null || { echo "there is no nvcc on the PATH or in /usr/local/cuda/bin"; return 1; }
  command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
  cd "$here/.."
  # Another compiler than ours has warnings of its own; those are for make test.
  cmake --preset cuda -B build-gpu -DMANYCHAIN_CUDA_ARCHITECTURES="$architecture" -DMANYCHAIN_WERROR=OFF \
    >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; return 1; }
  cmake --build build-gpu --parallel "$(nproc)" --target backends manychain_cli manychain_gallery_cli manychain_bench || return 1
  programs=$PWD/build-gpu/bin libraries=
}

left() { echo $((begin + seconds - $(date +%s))); }

# share SECONDS: these of a check of 570 seconds, and as large a part of any other.
share() { echo $((($1 * seconds + 569) / 570)); }

# stage LIMIT COMMAND...: at most LIMIT seconds, and no more than are left in all. Out of time: status 124.
stage() {
  limit=$1 rest=$(left)
  shift
  [ "$limit" -lt "$rest" ] || limit=$rest
  [ "$limit" -gt 0 ] || return 124
  timeout -k 5 "$limit" env LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@" || {
    status=$?
    [ $status -ne 137 ] || status=124
    [ $status -ne 124 ] || echo "out of time after $limit s"
    return $status
  }
}

note() { echo "$*" >>"$work/notes"; }
# failed WHAT STATUS: a failure that does not end the check.
failed() {
  why="$1 failed with status $2"
  [ "$2" -ne 124 ] || why="$1 ran out of time"
  echo "$why"
  note "$why"
  echo "$why" >>"$work/failures"
}

# fitting ARCHITECTURE...: the first of these that this GPU runs, and "code" or "ptx". Code fits that is of the GPU's own
# generation and not newer than it; PTX that is not newer, which the driver compiles. "90" has both, "90-real" code,
# "90-virtual" PTX. One with a letter, "90a", fits its own number alone. Without a fit: "WORD unknown" for a word that is no
# architecture, such as native, or else status 1.
fitting() {
  ptx='' unknown=''
  for packed; do
    number=${packed%%-*}
    kind=${packed#"$number"}
    bare=${number%[a-z]}
    case "$bare$kind" in
      [0-9]*[0-9] | [0-9]*[0-9]-real | [0-9]*[0-9]-virtual) ;;
      *) bare='' ;;
    esac
    case "$bare" in '' | *[!0-9]*) unknown=${unknown:-$packed}; continue ;; esac
    [ "$bare" -le "$architecture" ] || continue
    [ "$number" = "$bare" ] || [ "$bare" -eq "$architecture" ] || continue
    [ "$kind" = -virtual ] || [ $((bare / 10)) -ne $((architecture / 10)) ] || { echo "$packed code"; return; }
    [ "$kind" = -real ] || ptx=${ptx:-$packed}
  done
  [ -z "$ptx" ] || { echo "$ptx ptx"; return; }
  [ -n "$unknown" ] && echo "$unknown unknown"
}

# Ends the check, before anything is unpacked, if the programs cannot run here. CUDA runs with a driver of its own major
# version or a newer one; PTX is compiled by a driver that is not older than the compiler.
compare_pack() {
  # shellcheck disable=SC2046 # a list of words
  fits=$(fitting $(told architectures | tr ';,' '  ')) || unfit "the programs are packed for architectures $(told architectures), this GPU is $architecture ($gpu): pack them with scripts/gpu_pack.sh --architectures $architecture"
  packed_cuda=$(told cuda) driver=$(echo "$gpu" | cut -d, -f3 | tr -d ' ')
  driver_cuda=$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA[A-Za-z ]* Version: *\([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
  say "packed: architectures $(told architectures), CUDA ${packed_cuda:-unknown}; here: $architecture, driver $driver, which runs CUDA ${driver_cuda:-unknown}"
  case $fits in *unknown) echo "whether architecture ${fits% *} fits this GPU is not known here, and is not compared" ;; esac
  case $fits in *ptx) echo "there is no code for $architecture in the pack: the driver compiles the PTX of ${fits% *} first, which takes time" ;; esac
  [ -n "$packed_cuda" ] && [ -n "$driver_cuda" ] || return 0
  old="driver $driver runs CUDA up to $driver_cuda, the programs are built by CUDA $packed_cuda: take a newer driver, or pack them with an older toolkit"
  [ "${driver_cuda%%.*}" -ge "${packed_cuda%%.*}" ] || unfit "$old"
  case $fits in
    *ptx)
      minor=$(echo "$packed_cuda" | cut -d. -f2)
      [ "${driver_cuda%%.*}" -gt "${packed_cuda%%.*}" ] || [ "${driver_cuda#*.}" -ge "$minor" ] ||
        unfit "$old; or with --architectures $architecture, so that the driver need not compile" ;;
  esac
}

sanitize() {
  PATH=$PATH:/usr/local/cuda/bin
  if [ $sanitizer = 0 ] || ! command -v compute-sanitizer >/dev/null; then
    say "compute-sanitizer: not run"
    note "compute-sanitizer was not run"
    return
  fi
  # The option has had two names. CUB is known for reports of initcheck that are none; Thrust's kernels bear its name, too.
  exclude=$(compute-sanitizer --help 2>&1 | grep -oE -e '--kernel-(name|regex)-exclude' | sort | head -n 1)
  # The statistical tests need too many chains for a tool that makes kernels a hundred times slower.
  filter=${GPU_CHECK_FILTER:--*Statistic*:*Invarian*:*Posterior*:*Slow*}
  for tool in memcheck initcheck; do
    say "GPU tests under compute-sanitizer: $tool"
    most=$(left)
    set -- --tool $tool --error-exitcode 9
    case $tool in
      memcheck) most=$((most / 2)) ;;
      initcheck) [ -z "$exclude" ] || set -- "$@" "$exclude" kns=cub ;;
    esac
    {
      outcome=0
      stage "$most" compute-sanitizer "$@" "$programs/backends" --gtest_brief=1 --gtest_filter="$filter" || outcome=$?
      echo $outcome >"$work/outcome"
    } 2>&1 | tee "$work/$tool.log"
    outcome=$(cat "$work/outcome")
    # The status tells what was found only at the end of a run; the reports until then are in the log.
    reported=no
    grep -Eq '^=+ +(Invalid|Misaligned|Uninitialized|Race|Program hit)' "$work/$tool.log" && reported=yes
    case $outcome in
      0) note "$tool found nothing" ;;
      9) note "$tool FOUND SOMETHING, see the log"; touch "$work/found" ;;
      124)
        if [ $reported = yes ]; then
          note "$tool FOUND SOMETHING before its time was out, see the log"
          touch "$work/found"
        else
          note "$tool ran out of time; it had found nothing"
        fi
        ;;
      *) note "$tool did not run to its end (status $outcome), see the log" ;;
    esac
  done
}

check() {
  say "$gpu, commit $commit"
  [ ! -f "$work/compared" ] || cat "$work/compared"
  if [ -n "$prebuilt" ]; then
    say "unpack: for architectures $(told architectures) and $(told isa), by $(told compiler)"
    unpack || return 1
    begin=$start
  else
    say "build for architecture $architecture"
    build || return 1
    begin=$(date +%s)
  fi

  say "GPU tests"
  export MANYCHAIN_REQUIRE_GPU=1
  stage "$(share 200)" "$programs/backends" --gtest_brief=1 || failed "GPU tests" $?

  say "gallery"
  outcome=0
  stage "$(share 90)" "$programs/manychain" gallery --all --quick --backend cuda || outcome=$?
  case $outcome in
    0) ;;
    124) note "the gallery ran out of time" ;;
    *) failed "the gallery" $outcome ;;
  esac

  say "benchmark"
  outcome=0
  stage "$(share 200)" "$programs/manychain_bench" --backend cuda --json "$work/result.json" "$@" || outcome=$?
  [ $outcome -ne 0 ] || [ -s "$work/result.json" ] || { echo "the benchmark wrote no figures"; outcome=1; }
  if [ $outcome -ne 0 ]; then
    failed "the benchmark" $outcome
  else
    stage "$(share 40)" "$programs/manychain_bench" --backend cuda --compare || note "the benchmark's comparison failed or ran out of time"
  fi
  # Kept now: whatever the sanitizer does cannot take them away.
  mkdir -p "$results"
  [ $outcome -ne 0 ] || keep_figures
  cp "$work/log" "$(result).txt" && touch "$work/kept"

  sanitize
  say "done"
  sed 's/^/  /' "$work/notes"
  [ ! -s "$work/failures" ]
}

# The name of the figures and of the log, without the ending.
result() { echo "$measured$([ ! -s "$work/failures" ] || echo -failed)"; }

keep_figures() {
  if [ -s "$work/failures" ]; then
    what=$(tr '\n' ';' <"$work/failures" | sed 's/;$//; s/;/; /g')
    sed "1s/{/{\\n  \"failed\": \"$what\",/" "$work/result.json" >"$(result).json" || return
  else
    cp "$work/result.json" "$(result).json" || return
  fi
  touch "$work/figures"
}

if [ $try = 1 ]; then
  unpack || fail "the programs of $prebuilt cannot run here"
  echo "The programs of $prebuilt start: $(ours manychain --version), $(ours backends --gtest_list_tests | grep -c '^  ') GPU tests."
  exit 0
fi

command -v nvidia-smi >/dev/null || fail "there is no nvidia-smi: no NVIDIA driver, no GPU"
gpu=$(nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader 2>/dev/null | head -n 1) || true
[ -n "$gpu" ] || fail "nvidia-smi sees no GPU"
architecture=$(echo "$gpu" | cut -d, -f2 | tr -d ' .')
case "$architecture" in "" | *[!0-9]*) fail "nvidia-smi does not tell the compute capability: $gpu" ;; esac
name=$(echo "$gpu" | cut -d, -f1 | sed 's/NVIDIA //; s/[^A-Za-z0-9]\{1,\}/-/g; s/-$//' | tr '[:upper:]' '[:lower:]')
if [ -n "$prebuilt" ]; then
  commit=$(told commit)
  compare_pack >"$work/compared"
else
  commit=$(cd "$here/.." && cmake -P cmake/commit.cmake 2>&1)
fi
measured=$results/$name-$(date -u +%Y-%m-%d)-$commit
touch "$work/notes" "$work/failures"

# Plain sh has no pipefail: what check() did goes past tee in files.
{ if check "$@" 2>&1; then touch "$work/passed"; fi; } | tee "$work/log"
[ ! -f "$work/kept" ] || cp "$work/log" "$(result).txt"
there=''
[ ! -f "$work/figures" ] || there=$(result).json  # an earlier check may have left one of that name
if [ ! -f "$work/passed" ]; then
  what=$(tr '\n' ';' <"$work/failures" | sed 's/;$//; s/;/; /g')
  fail "${what:-failed}; ${there:-no figures were kept}${there:+ has what was measured beside it}"
fi
echo "Written: $(result).json and .txt"
if [ -f "$work/found" ]; then
  echo "gpu_check: $(tr '\n' ';' <"$work/notes" | sed 's/;$//; s/;/; /g')" >&2
  exit 3
fi
