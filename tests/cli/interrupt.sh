#!/bin/sh
# Ctrl-C ends the phase that a run is in, keeps the draws until then, and shows in the exit status and in the file.
program=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
run=
trap '[ -z "$run" ] || kill -KILL $run 2>/dev/null' EXIT

fail() {
  echo "$1"
  cat out.txt err.txt
  ls -l
  exit 1
}
start() {
  : >err.txt # there, and empty, when it is first looked at
  "$program" sample "$@" --threads 1 --seed 1 --backend cpu >out.txt 2>err.txt &
  run=$!
}
# Waits for the run to say that it is in a phase, and interrupts it. Plain lines come every few seconds.
interrupt_in() {
  tries=0
  until grep -q "$1" err.txt; do
    tries=$((tries + 1))
    [ $tries -le 1200 ] && kill -0 $run 2>/dev/null || fail "the run never said that it is in phase $1:"
    sleep 0.1
  done
  kill -INT $run
}
# expect_interrupted SECONDS: it must have ended by then.
expect_interrupted() {
  before=$(date +%s)
  wait $run
  status=$?
  run=
  [ $(($(date +%s) - before)) -le "$1" ] || fail "it took more than $1 s to end:"
  [ $status -eq 130 ] || fail "exit status $status, expected 130:"
}

# In the sampling: the run would take hours.
long="eight_schools --chains 64 --warmup 20 --draws 20000 --thin 1000"
start $long
interrupt_in sampling
expect_interrupted 20
grep -q 'The run was cancelled: [0-9]* of 20000 draws' out.txt || fail "it does not say how far it came:"
[ -s eight_schools.nc ] || fail "no draws were kept:"
"$program" diagnose eight_schools.nc >out.txt 2>err.txt
[ $? -eq 4 ] || fail "the file passes as a whole run:"
grep -q '^  warning: The run was cancelled: [0-9]* of 20000 draws of each chain' out.txt ||
  fail "the file does not say that its run was cancelled:"

# In the diagnostics, of many quantities of slow chains: the draws are whole, the summary is not.
echo '{"D": 1000}' >data.json
slow="normal --data data.json --sampler metropolis --step-size 0.1 --chains 64 --superchains 0"
start $slow --warmup 20000 --draws 400 --json run.json
interrupt_in diagnostics
expect_interrupted 20
grep -q '^NOT converged' out.txt || fail "a summary that is not whole passes:"
grep -q 'Not computed: the summary of [0-9]* of 1000 quantities' out.txt || fail "the diagnostics ran to their end:"
grep -q '"cancelled": true' run.json && grep -q '"not_summarised": [1-9]' run.json || fail "the JSON does not say so:"
grep -q '"draws": 400' run.json && [ -s normal.nc ] || fail "draws are missing:"
rm normal.nc
exit 0
