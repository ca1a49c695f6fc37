#!/bin/sh
# Ctrl-C ends a run at its next block, keeps the draws until then, and shows in the exit status.
program=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1

# The run would take hours. It is interrupted once it has said that it samples (plain lines come every few seconds).
"$program" sample eight_schools --chains 64 --warmup 20 --draws 20000 --thin 1000 --threads 1 --seed 1 --backend cpu \
  >out.txt 2>err.txt &
run=$!
trap 'kill -KILL $run 2>/dev/null' EXIT
tries=0
until grep -q sampling err.txt; do
  tries=$((tries + 1))
  if [ $tries -gt 300 ] || ! kill -0 $run 2>/dev/null; then
    echo "the run never said that it samples:"
    cat out.txt err.txt
    exit 1
  fi
  sleep 0.1
done
kill -INT $run
wait $run
status=$?
trap - EXIT

if [ $status -ne 130 ]; then
  echo "exit status $status, expected 130:"
  cat out.txt err.txt
  exit 1
fi
if ! grep -q 'cancelled' out.txt || ! [ -s eight_schools.nc ]; then
  echo "no draws were kept:"
  cat out.txt err.txt
  ls -l
  exit 1
fi
