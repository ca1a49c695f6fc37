# Some commands are programs of their own. Where such a program is absent, one line says which target builds it, and the
# exit status is 2; where it cannot be started, the exit status is 3.
#
#   alone.sh PROGRAM FOLDER
program=$1
rm -rf "$2" && mkdir -p "$2" && cd "$2" || exit 1
cp "$program" manychain || exit 1

fail() {
  echo "$*"
  cat out.txt err.txt
  exit 1
}

# expect STATUS WORDS COMMAND...
expect() {
  status=$1 words=$2
  shift 2
  ./manychain "$@" >out.txt 2>err.txt
  got=$?
  [ $got -eq "$status" ] || fail "manychain $*: exit status $got, expected $status:"
  grep -q -- "^manychain: .*$words" err.txt || fail "manychain $*: not a word of: $words"
  [ "$(wc -l <err.txt)" -eq 1 ] || fail "manychain $*: stderr is not one line:"
  [ ! -s out.txt ] || fail "manychain $*: something on stdout:"
}

expect 2 'manychain-markov, which is not beside this one; .*--target manychain_markov_cli builds it$' markov chain.json
expect 2 'manychain-markov, which is not beside this one' markov --help
expect 2 'the gallery .* is not beside this one; make gallery builds it$' gallery --all
echo 'no program' >manychain-markov
expect 3 '/manychain-markov cannot be started$' markov chain.json
./manychain --help >out.txt 2>err.txt && grep -q '^ *markov  *Analyse' out.txt || fail "manychain --help:"
exit 0
