#!/bin/sh
# A program compiles a header, loads it and samples it: what is kept, what is damaged, and what does not fit the program.
#
#   header.sh PROGRAM MANYCHAIN DIGEST FOLDER      DIGEST: the program manychain_digest
program=$1 manychain=$2 digest=$3 folder=$4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
export MANYCHAIN_CACHE="$folder/a cache"
# shellcheck source=tests/expect.sh
. "$(dirname "$0")/../expect.sh"

# run NAME STATUS PATTERN [COMMAND...]: as expect(); without a command, the program that samples stopping.hpp.
run() {
  [ $# -gt 3 ] || set -- "$@" "$program" stopping.hpp stopping.json
  expect "$@"
}
same() { grep distance_at_20 out.txt | cmp -s - first.txt || wrong "other draws than the first time"; }

run new 0 'Wrote' "$manychain" new stopping
run first 0 '^distance_at_20 '
grep -q '^Compiling stopping.hpp: hmc in both precisions, for the CPU$' err.txt || wrong "no line of progress"
grep -q '^Linking$' err.txt || wrong "no line of progress"
grep distance_at_20 out.txt >first.txt
run again 0 '^distance_at_20 '
same
[ ! -s err.txt ] || wrong "it was compiled once more"

# The command line has the same draws, and takes the units that are kept.
run command_line 0 '^distance_at_20 ' \
  "$manychain" sample stopping.hpp --data stopping.json --chains 64 --warmup 100 --draws 50 --seed 1 --backend cpu --output none
same

# A shared object that is damaged, or cut short, is linked again.
for name in damaged short; do
  for file in "$MANYCHAIN_CACHE"/*.so; do
    if [ $name = short ]; then
      head -c 1000 "$file" >less
      cat less >"$file"
    else
      printf x | dd of="$file" bs=1 seek=5000 conv=notrunc 2>dd.txt
    fi
  done
  run $name 0 '^distance_at_20 '
  same
  grep -q '^Compiling ' err.txt || wrong "nothing was linked"
done

# One from another build is refused before anything else of it is used, though it is whole.
file=$(ls "$MANYCHAIN_CACHE"/*.so | head -1)
identity=$(sed -n 's/^identity //p' "$(dirname "$manychain")/../share/manychain/toolchain.txt")
version=${identity%% *}
LC_ALL=C sed "s/$identity/${version%?}9${identity#"$version"}/g" "$file" >other
if cmp -s other "$file"; then
  name=identity
  wrong "the shared object has no identity"
fi
"$digest" other
key=$(basename "$file" | cut -d - -f 1)
rm "$MANYCHAIN_CACHE"/*.so
cp other "$MANYCHAIN_CACHE/$key-$(($(wc -c <other)))-$(cat other.digest).so"
run other_build 3 '^failed: .*[.]so: it was linked with another build of manychain than this program'
rm "$MANYCHAIN_CACHE"/*.so

# Mistakes.
sed 's/normal(beta, 0/nromal(beta, 0/' stopping.hpp >slip.hpp
line=$(diff stopping.hpp slip.hpp | sed -n '1s/[acd,].*//p')
run slip 2 "^refused: slip.hpp:$line: there is no nromal: did you mean normal[(]x, mu, sigma[)][?]$" "$program" slip.hpp stopping.json
run no_header 2 '^refused: none.hpp: there is no such header' "$program" none.hpp stopping.json
echo '{"N": 2, "typical_speed": 15, "speed": [1, 2]}' >less.json
run data 2 '^refused: less.json: variable does not exist: distance' "$program" stopping.hpp less.json

# Two processes at once, and a cache that cannot be written to.
rm "$MANYCHAIN_CACHE"/*.so
"$program" stopping.hpp stopping.json >one.txt 2>&1 &
one=$!
run two_at_once 0 '^distance_at_20 '
same
wait $one || wrong "the other one failed"
ls -d "$MANYCHAIN_CACHE"/work.* 2>/dev/null && wrong "a workshop was left"
touch no_folder
run cache_unwritable 2 'no_folder/cache: compiled models cannot be kept there' \
  env MANYCHAIN_CACHE=no_folder/cache "$program" stopping.hpp less.json

[ $failures -eq 0 ] && exit 0
echo "$failures failures"
exit 1
