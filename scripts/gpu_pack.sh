#!/bin/sh
# Packs what scripts/gpu_check.sh needs on a machine with a GPU that has no network, no netCDF or no compiler: the four
# programs, the libraries they load, and that script. To be carried there as it is: below 64 MB in all.
#
#   scripts/gpu_pack.sh [--architectures "80;90"] [--isa avx2] DIR     builds in build-gpu, for those GPUs and that CPU
#   scripts/gpu_pack.sh --build BUILD DIR                              takes what was built in BUILD
#
# There: DIR/gpu_check.sh --prebuilt DIR. The C library is not packed: that of the other machine must not be older than
# the one here.
set -eu

fail() { echo "gpu_pack: $*" >&2; exit 1; }

root=$(cd "$(dirname "$0")/.." && pwd)
architectures=90 isa=avx2 build=''
while [ $# -gt 1 ]; do
  case "$1" in
    --architectures) architectures=$2 ;;
    --isa) isa=$2 ;;
    --build) build=$(cd "$2" && pwd) ;;
    *) fail "unknown option $1; see the head of $0" ;;
  esac
  shift 2
done
[ $# -eq 1 ] || fail "give the folder to pack into"
case "$1" in -*) fail "$1 needs a value, and then the folder to pack into" ;; esac
mkdir -p "$1"
to=$(cd "$1" && pwd)
[ ! -e "$to/manifest" ] || rm -f "$to/manifest" "$to/gpu_check.sh" "$to"/programs.tar.*
[ -z "$(ls -A "$to")" ] || fail "$to is not empty"

if [ -z "$build" ]; then
  build=$root/build-gpu
  PATH=$PATH:/usr/local/cuda/bin
  command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
  cd "$root"
  cmake --preset cuda -B "$build" -DMANYCHAIN_CUDA_ARCHITECTURES="$architectures" -DMANYCHAIN_ISA="$isa" \
    -DMANYCHAIN_WERROR=OFF >/dev/null
  cmake --build "$build" --parallel "$(nproc)" --target backends manychain_cli manychain_gallery_cli manychain_bench
fi
cached() { sed -n "s/^$1:[^=]*=//p" "$build/CMakeCache.txt"; }
isa=$(cached MANYCHAIN_ISA)
[ "$isa" != native ] || isa=$(cached MANYCHAIN_NATIVE_ISA)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/lib/compiler"
for program in backends manychain manychain-gallery manychain_bench; do
  [ -x "$build/bin/$program" ] || fail "there is no $program in $build/bin"
  strip -o "$work/bin/$program" "$build/bin/$program"
done

ldd "$work"/bin/* >"$work/ldd"  # not in a pipe: its failure ends the script
if grep -q 'not found' "$work/ldd"; then fail "a library is missing here: $(grep 'not found' "$work/ldd" | head -n 1)"; fi
awk '$2 == "=>" && $3 ~ /^\// { print $3 }' "$work/ldd" | sort -u | while read -r library; do
  case "$(basename "$library")" in
    libc.so.* | libm.so.* | libmvec.so.* | libdl.so.* | librt.so.* | libpthread.so.* | libresolv.so.* | ld-linux*) ;;
    libstdc++.so.* | libgcc_s.so.*) cp -L "$library" "$work/lib/compiler/" ;;
    *) cp -L "$library" "$work/lib/" ;;
  esac
done

# The programs hold the same code, tens of MB apart: a dictionary that reaches over all of them halves what is packed, and
# does more than a slower preset does. Four programs of 253 MB are 17.5 MB by the first of these in 6 s, and 16.5 MB by
# preset 1 in 11 s. Unpacking takes the dictionary's memory.
limit=64000000
bytes() { find "$to" -type f -exec cat {} + | wc -c; }
for packer in 'xz --lzma2=preset=0,dict=192MiB' 'xz --lzma2=preset=6,dict=192MiB' 'gzip -6'; do
  command -v "${packer%% *}" >/dev/null || continue
  case "$packer" in gzip*) suffix=gz ;; *) suffix=xz ;; esac
  rm -f "$to"/programs.tar.*
  tar cf - -C "$work" bin lib | $packer >"$to/programs.tar.$suffix"
  case "$packer" in *preset=0*) [ "$(bytes)" -ge $limit ] || break ;; *) break ;; esac
done
cp "$root/scripts/gpu_check.sh" "$to/"
cat >"$to/manifest" <<END
commit=$(sed -n 's/^#define MANYCHAIN_COMMIT "\(.*\)"$/\1/p' "$build/generated/manychain_commit.hpp")
architectures=$(cached MANYCHAIN_CUDA_ARCHITECTURES)
cuda=$(sed -n 's/^set(CMAKE_CUDA_COMPILER_VERSION "\(.*\)")$/\1/p' "$build"/CMakeFiles/*/CMakeCUDACompiler.cmake)
isa=$isa
glibc=$(getconf GNU_LIBC_VERSION)
compiler=$(cached CMAKE_CXX_COMPILER) $("$(cached CMAKE_CXX_COMPILER)" -dumpfullversion)
END
[ "$(bytes)" -lt $limit ] || fail "$to holds $(bytes) bytes, $limit are allowed: pack fewer architectures"
echo "Packed: $to, $(bytes) bytes. On the machine with the GPU: $to/gpu_check.sh --prebuilt $to"
