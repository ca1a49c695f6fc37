#!/bin/sh
# Installs the Debian packages that a build needs, if any is missing: install_dependencies.sh [format|sanitize|sass]
# As root, or through sudo; with neither it prints the command to type and stops. Never installs CUDA or a driver.
# "sass" gets only the disassembler from PyPI into .cache, where the CUDA toolkit came without: cuobjdump and nvdisasm, for
# tests/sass, which is skipped otherwise.
set -eu

packages="g++ make cmake ninja-build libxsimd-dev libeigen3-dev libfmt-dev nlohmann-json3-dev libnetcdf-dev zlib1g-dev libcli11-dev
          libthrust-dev libgtest-dev libbenchmark-dev libopenmpi-dev openmpi-bin python3"
# The tests of the Python package make a virtual environment, for which Debian's Python needs a package of its own.
venv=
if command -v dpkg-query >/dev/null && ! python3 -c "import ensurepip" 2>/dev/null; then venv=python3-venv; fi
case "${1:-}" in
  "") packages="$packages $venv" ;;
  format) packages="clang-format-14 git" ;;
  sanitize) packages="$packages clang-14 libclang-rt-14-dev libomp-14-dev" ;;
  sass)
    folder=$(dirname "$0")/../.cache/cuda_tools
    nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    [ -x "$nvcc" ] || exit 0
    PATH=$PATH:$(dirname "$nvcc")
    if command -v cuobjdump >/dev/null && command -v nvdisasm >/dev/null; then exit 0; fi
    [ -z "$(find "$folder" -name nvdisasm 2>/dev/null)" ] || exit 0
    python3 -m pip install -qq --disable-pip-version-check --target "$folder" \
      nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm==13.2.51 ||
      echo "cuobjdump and nvdisasm could not be installed: instructions are not counted" >&2
    exit 0 ;;
  *) echo "usage: $0 [format|sanitize|sass]" >&2; exit 2 ;;
esac

# Elsewhere than on Debian CMake says what it misses, and fetches what it can.
command -v dpkg-query >/dev/null || exit 0

installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $packages 2>/dev/null | sed -n 's/^ii *//p') || true
missing=
for package in $packages; do
  case "
$installed
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

install="apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
  as_root="sh -c"
elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
  as_root="sudo sh -c"  # asks for a password only at a terminal
else
  echo "manychain needs packages that are not installed. As root, type:" >&2
  echo "    apt-get update && apt-get install$missing" >&2
  exit 1
fi
echo "Installing:$missing"
if ! $as_root "($install) >/dev/null"; then
  echo "That failed. As root, type: apt-get update && apt-get install$missing" >&2
  exit 1
fi
