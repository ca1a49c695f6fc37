# What the tests of models of one's own share; they include it with the arguments
#
#   PROGRAM FOLDER CUDA PRECOMPILED      CUDA: 1 if models are built with CUDA code, too; PRECOMPILED: ON if what their
#                                        units include is precompiled
# In FOLDER lie then stopping.hpp and stopping.json of `manychain new`, and an empty cache; finish() ends the test.
# shellcheck shell=sh disable=SC2034
program=$1
folder=$2
cuda=$3
precompiled=$4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
unset MANYCHAIN_CACHE XDG_CACHE_HOME
export MANYCHAIN_CACHE="$folder/a cache"
# shellcheck source=tests/expect.sh
. "$(dirname "$0")/../expect.sh"
# Clang, which compiles for sanitizers, does not name a file that ends too early, and shows all candidates of an operator.
most=22 cut_short='syntax.hpp:1:' unexpected='expected '
if grep -q '^version Clang' "$(dirname "$program")/../share/manychain/toolchain.txt"; then
  most=26 cut_short='expected parameter declarator' unexpected='it does not compile'
fi

# A refusal before anything is compiled: status 2, one line, and nothing in the cache that was not there.
refuse() {
  before=$(ls "$MANYCHAIN_CACHE" 2>&1)
  name=$1 pattern=$2
  shift 2
  expect "$name" 2 "^manychain: .*$pattern" "$program" "$@"
  if [ "$(wc -l <err.txt)" -ne 1 ] || [ -s out.txt ]; then wrong "a refusal is one line on stderr"; fi
  [ "$before" = "$(ls "$MANYCHAIN_CACHE" 2>&1)" ] || [ ! "$(ls "$MANYCHAIN_CACHE")" ] || wrong "something was left in the cache"
}
compiled() { grep -q '^Compiling ' err.txt || wrong "nothing was compiled"; }
kept() { ! grep -q 'Compiling' err.txt || wrong "it was compiled once more"; }
# A model that does not compile: status 2, at most 20 lines, in one of them the pattern, in the last FILE:LINE: or
# FILE: and what is wrong; FILE is the model, or a fourth argument.
broken() {
  expect "$1" 2 "$2" "$program" check "$3" --data stopping.json
  [ "$(wc -l <err.txt)" -le $most ] || wrong "more than 20 lines of the compiler"
  tail -1 err.txt | grep -Eq "^manychain: ${4:-$3}(:[0-9]+)?: .*$5" || wrong "no last line"
}
# Slips: the last line has the line of the header and says what to write.
# slip NAME SED-COMMAND PATTERN: of the example with that change, at the line that the change made.
slip() {
  sed "$2" stopping.hpp >slip.hpp
  line=$(diff stopping.hpp slip.hpp | sed -n '1s/[acd,].*//p')
  broken "$1" "^manychain: slip.hpp:$line: $3" slip.hpp
}

finish() {
  [ $failures -eq 0 ] && exit 0
  echo "$failures failures"
  exit 1
}
small="--chains 64 --warmup 100 --draws 50 --seed 1 --backend cpu --threads 1"

expect new 0 'manychain sample stopping.hpp --data stopping.json' "$program" new stopping
