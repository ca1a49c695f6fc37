#!/bin/sh
# The four programs of this build, packed, and started under another path with nothing in the environment.
#
#   gpu_pack.sh SCRIPTS BUILD FOLDER
set -eu
scripts=$1 build=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"
"$scripts/gpu_pack.sh" --build "$build" "$folder/packed" | tee "$folder/out"
grep -q '^Packed: .* bytes' "$folder/out"
mv "$folder/packed" "$folder/elsewhere"
cd /
env -i PATH=/usr/bin:/bin "$folder/elsewhere/gpu_check.sh" --prebuilt "$folder/elsewhere" --try | tee "$folder/out"
grep -Eq 'start: manychain [0-9.]+, [1-9][0-9]* GPU tests' "$folder/out"

# Every library but the C library's own is there: none is taken from this machine.
mkdir "$folder/unpacked"
tar xf "$folder"/elsewhere/programs.tar.* -C "$folder/unpacked"
for program in "$folder"/unpacked/bin/*; do
  env -i LD_LIBRARY_PATH="$folder/unpacked/lib:$folder/unpacked/lib/compiler" /usr/bin/ldd "$program" >"$folder/ldd"
  awk '$2 == "=>" { print $3 }' "$folder/ldd" >"$folder/loaded"
  grep -q '/libc\.so' "$folder/loaded"  # it has been read
  awk -v own="$folder/unpacked/" 'index($0, own) != 1 &&
    $0 !~ /\/(libc|libm|libmvec|libdl|librt|libpthread|libresolv)\.so/' "$folder/loaded" >"$folder/foreign"
  if [ -s "$folder/foreign" ]; then
    echo "$(basename "$program") loads what was not packed:"
    cat "$folder/foreign"
    exit 1
  fi
done

# Without a GPU the script says so and keeps nothing.
if ! command -v nvidia-smi >/dev/null; then
  status=0
  env -i PATH=/usr/bin:/bin "$folder/elsewhere/gpu_check.sh" --prebuilt "$folder/elsewhere" >"$folder/out" 2>&1 || status=$?
  if [ $status -ne 1 ] || ! grep -q 'there is no nvidia-smi' "$folder/out" || [ -e "$folder/elsewhere/results" ]; then
    cat "$folder/out"
    exit 1
  fi
fi
rm -rf "$folder"
