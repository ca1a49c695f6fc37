#!/bin/sh
# Lays out all C++ and CUDA files that git tracks; with --check it changes nothing, shows the differences, and fails if
# there are any.
set -eu
cd "$(dirname "$0")/.."

format=clang-format-14
command -v $format >/dev/null || format=clang-format
case "$($format --version)" in
  *"version 14."*) ;;
  *) echo "clang-format 14 is needed: other versions lay out differently (Debian: clang-format-14)" >&2; exit 1 ;;
esac

files() {
  git ls-files -- '*.cpp' '*.hpp' '*.h' '*.c' '*.cu' '*.cuh' | while read -r file; do
    if [ -f "$file" ]; then echo "$file"; fi  # not those deleted a moment ago
  done
}
if [ "${1:-}" != --check ]; then
  files | xargs -r $format -i
  exit
fi

# Quick where all is well; only then file by file, to show what differs.
if files | xargs -r $format --dry-run --Werror 2>/dev/null; then exit 0; fi
for file in $(files); do
  $format "$file" | diff -u --label "$file" --label "$file (laid out)" "$file" - || true  # the difference is the message
done
echo "The files above are not laid out by .clang-format: run \`make format\`." >&2
exit 1
