#!/bin/sh
# Four programs that hold the same code are packed as little more than one: they are made up here, of a program that is
# there and bytes that nothing compresses, more of them than an ordinary dictionary reaches over.
#
#   gpu_pack_size.sh SCRIPTS CXX FOLDER
set -eu
scripts=$1 compiler=$2 folder=$3
for tool in xz objcopy strip; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 0; }
done
rm -rf "$folder"
mkdir -p "$folder/build/bin" "$folder/build/generated" "$folder/build/CMakeFiles/0"
cd "$folder"
echo 'int main() { return 0; }' >main.cpp
"$compiler" main.cpp -o main
bytes=9000000
head -c $bytes /dev/urandom >code
for program in backends manychain manychain-gallery manychain_bench; do
  objcopy --add-section same="$folder/code" main "build/bin/$program"
done
printf 'MANYCHAIN_ISA:STRING=avx2\nMANYCHAIN_CUDA_ARCHITECTURES:STRING=80;90\nCMAKE_CXX_COMPILER:FILEPATH=%s\n' \
  "$(command -v "$compiler")" >build/CMakeCache.txt
echo '#define MANYCHAIN_COMMIT "abc"' >build/generated/manychain_commit.hpp
echo 'set(CMAKE_CUDA_COMPILER_VERSION "13.0.88")' >build/CMakeFiles/0/CMakeCUDACompiler.cmake
"$scripts/gpu_pack.sh" --build build packed

packed=$(find packed -type f -exec cat {} + | wc -c)
libraries=4000000 # of the compiler, which lie beside the programs
if [ "$packed" -gt $((bytes + libraries)) ] || [ "$packed" -lt $bytes ]; then
  echo "four programs that share $bytes bytes are packed into $packed"
  exit 1
fi
for line in commit=abc 'architectures=80;90' cuda=13.0.88 isa=avx2; do
  grep -qx "$line" packed/manifest || { echo "the manifest does not say $line:"; cat packed/manifest; exit 1; }
done
mkdir unpacked
tar xf packed/programs.tar.* -C unpacked
for program in backends manychain manychain-gallery manychain_bench; do
  "unpacked/bin/$program"
done
rm -rf "$folder"
echo "Right."
