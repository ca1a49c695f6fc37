#!/bin/sh
# command_line.sh MPIRUN MANYCHAIN_MPI MANYCHAIN: one table, one file, the draws of a run without ranks.
set -eu
mpirun=$1 program=$2 alone=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
run="sample eight_schools --backend cpu --chains 256 --warmup 100 --draws 40 --seed 3"

fail() { printf '%s\n' "$1" >&2; exit 1; }

table() { sed -n '/onverged/,/^Draws/p' "$1" | sed '$d'; }
"$alone" $run --output alone.nc --json alone.json >alone.txt
"$mpirun" -n 3 "$program" $run --output ranks.nc --json ranks.json >ranks.txt 2>ranks.err
[ "$(table alone.txt)" = "$(table ranks.txt)" ] || fail "another table: $(cat ranks.txt)"
[ "$(grep -c eight_schools ranks.txt)" -eq 1 ] || fail "more than one rank speaks: $(cat ranks.txt)"
grep -q "3 ranks of" ranks.txt || fail "no word of ranks: $(cat ranks.txt)"
[ -s ranks.nc ] || fail "no file"
# Behind the facts of the run, of which the time is one, lie the draws.
if command -v ncdump >/dev/null; then
  ncdump -v posterior/mu,posterior/tau alone.nc | sed -n '/^ *mu =/,$p' >alone.dump
  ncdump -v posterior/mu,posterior/tau ranks.nc | sed -n '/^ *mu =/,$p' >ranks.dump
  cmp alone.dump ranks.dump || fail "other draws"
fi

# Data sets: each rank has a range of them, the first one the answers.
printf '{"J": 2, "y": [%d, 4], "sigma": [10, 12]}\n' 1 5 20 7 >sets.jsonl
sets="sample eight_schools --data-sets sets.jsonl --seed 3"
"$alone" $sets --output alone_sets.nc --json alone_sets.json >alone.txt
"$mpirun" -n 3 "$program" $sets --output ranks_sets.nc --json ranks_sets.json >ranks.txt 2>ranks.err
grep -q "Converged: all 4 data sets" ranks.txt || fail "not all data sets: $(cat ranks.txt)"
[ -s ranks_sets.nc ] || fail "no file of data sets"
for one in alone ranks; do grep -v '"seconds"' "${one}_sets.json" >"$one.dump"; done
cmp alone.dump ranks.dump || fail "other answers of data sets"

# A seed that is not given is that of the first rank.
"$mpirun" -n 2 "$program" sample normal --backend cpu --chains 64 --warmup 20 --draws 20 --output none >seed.txt ||
  fail "without a seed: $(cat seed.txt)"

# A store: its numbers are those of a run without ranks, whatever was killed and goes on, by other numbers of ranks.
# Chunks of 64 chains each, one behind the other, have the bytes of one chunk of 256.
numbers() {
  (cd "$1" && find . -name 'c.*' -type f | sed 's/c\.[^/]*$//' | sort -u | while read -r variable; do
    printf '%s ' "$variable"
    for chunk in $(ls "$variable"c.* | sort -V); do
      head -c -4 "$chunk" >"$folder/chunk"
      gzip -dc <"$folder/chunk" 2>"$folder/none" || cat "$folder/chunk"
    done | cksum
  done)
}
same_store() {
  numbers "$1" >alone.numbers
  numbers "$2" >other.numbers
  [ "$(wc -l <alone.numbers)" -gt 10 ] || fail "too few variables: $(cat alone.numbers)"
  cmp alone.numbers other.numbers || fail "$2 has other numbers"
}
"$alone" $run --output alone.zarr >alone.txt || [ $? -eq 1 ]
"$mpirun" -n 3 "$program" $run --output ranks.zarr >ranks.txt
same_store alone.zarr ranks.zarr
[ -f ranks.zarr/posterior/mu/c.3.0 ] || fail "one rank has written all: $(ls ranks.zarr/posterior/mu)"
[ "$(table alone.txt)" = "$(table ranks.txt)" ] || fail "of a store: another table: $(cat ranks.txt)"
"$alone" $run --output alone_packed.zarr --compression gzip >alone_packed.txt || [ $? -eq 1 ]
"$mpirun" -n 3 "$program" $run --output packed.zarr --compression gzip >packed.txt
same_store alone_packed.zarr packed.zarr
"$mpirun" -n 3 "$program" $run --output cut.zarr --warmup-only >cut.txt
"$mpirun" -n 2 "$program" resume cut.zarr --draws 11 >cut.txt || [ $? -eq 1 ]
"$alone" resume cut.zarr --draws 13 >cut.txt || [ $? -eq 1 ]
"$mpirun" -n 4 "$program" resume cut.zarr --draws 40 >cut.txt
same_store alone.zarr cut.zarr
[ "$(table alone.txt)" = "$(table cut.txt)" ] || fail "of a run that went on: another table: $(cat cut.txt)"

# A checkpoint, of a run that keeps no draws: other numbers of ranks go on with it, in warm-up and behind it.
none="$run --keep none --output none"
"$alone" $none >alone.txt
"$mpirun" -n 3 "$program" $none --checkpoint sums --every 0 --time-limit 0.02 >cut.txt 2>cut.err || [ $? -ge 130 ] || fail "$(cat cut.err)"
if [ -f sums ]; then
  "$mpirun" -n 2 "$program" resume sums --every 0 >cut.txt
else
  "$mpirun" -n 2 "$program" $none --checkpoint sums >cut.txt
fi
"$alone" resume sums >ended.txt
table() { sed -n '/onverged/,$p' "$1"; }
[ "$(table alone.txt)" = "$(table cut.txt)" ] || fail "of a checkpoint: another table: $(cat cut.txt)"
grep -q "nothing left to sample" ended.txt || fail "a checkpoint that has not ended: $(cat ended.txt)"

# A rank that is killed ends the job; what the store has is whole, and goes on.
"$mpirun" -n 3 "$program" sample eight_schools --backend cpu --chains 256 --warmup 100 --draws 20000 --seed 3 --every 1 \
  --output killed.zarr >killed.txt 2>&1 &
job=$!
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 1
  [ -f killed.zarr/posterior/mu/c.0.0 ] && break
done
children() { ps -o pid= --ppid "$1"; }
kill -9 $(children $job | tail -1)
start=$(date +%s)
! wait $job || fail "a job whose rank was killed has ended well: $(cat killed.txt)"
[ $(($(date +%s) - start)) -lt 30 ] || fail "the others have waited more than 30 s"
"$mpirun" -n 2 "$program" resume killed.zarr --more 1 --show mu >killed.txt || [ $? -eq 1 ] || fail "$(cat killed.txt)"

# A signal that mpirun hands on ends the run, and keeps its draws.
"$mpirun" -n 2 "$program" sample normal --backend cpu --chains 64 --warmup 20 --draws 1000000000 --time-limit 60 --keep none --seed 1 \
  >long.txt 2>long.err &
job=$!
sleep 4
kill -USR1 $job
status=0
wait $job || status=$?
[ "$status" -eq 130 ] || fail "after a signal: status $status: $(cat long.txt long.err)"
grep -q onverged long.txt || fail "after a signal no verdict: $(cat long.txt long.err)"

# Bad lines: one sentence, status 2.
refused() {
  words=$1; shift
  status=0
  timeout 30 "$mpirun" -n 3 "$program" "$@" >out.txt 2>err.txt || status=$?
  [ "$status" -eq 2 ] || fail "$*: status $status: $(cat err.txt)"
  [ "$(grep -c '^manychain: ' err.txt)" -eq 1 ] || fail "$*: not one sentence: $(cat err.txt)"
  grep -q "$words" err.txt || fail "$*: not \"$words\": $(cat err.txt)"
}
refused "no_such_model" sample no_such_model
refused "3 ranks are more than the 2 chains" sample normal --chains 2 --superchains 0 --output none
refused "no_folder" sample normal --output no_folder/x.zarr
refused "no_folder" sample normal --output no_folder/x.nc
refused "no_store" resume no_store
refused "a part of the chains is for one process" resume alone.zarr --part 1/2
refused "ranks have ranges of the data sets and keep none" $sets --checkpoint no.sets
refused "cannot turn into" sample x.hpp
refused "unknown" sample normal --no-such-option
