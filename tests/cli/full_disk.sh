#!/bin/sh
# A disk without room: status 3, a sentence, the table all the same, and no half file under the final name.
#
#   full_disk.sh PROGRAM FOLDER
program=$1
folder=$2
failures=0

fail() {
  echo "$1"
  cat "$folder/out.txt" "$folder/err.txt"
  failures=$((failures + 1))
}

# expect NAME STATUS PATTERN ARGUMENT...: the exit status, and a line of stderr that matches (no PATTERN: whatever).
expect() {
  name=$1 status=$2 pattern=$3
  shift 3
  "$program" "$@" >"$folder/out.txt" 2>"$folder/err.txt"
  got=$?
  [ $got -eq "$status" ] || fail "$name: exit status $got, expected $status"
  [ -z "$pattern" ] || grep -Eq -- "$pattern" "$folder/err.txt" || fail "$name: no line on stderr matches: $pattern"
}
table() { grep -q '^theta\[8\] ' "$folder/out.txt" || fail "$name: no table"; }
# absent FILE: neither it nor a part of it.
absent() { for left in "$1" "$1".*.partial; do if [ -e "$left" ]; then fail "$name: $left was left"; fi; done; }

small="sample eight_schools --chains 64 --warmup 100 --draws 50 --seed 1 --backend cpu --threads 1"
large="sample eight_schools --chains 1024 --warmup 100 --draws 400 --seed 1 --backend cpu --threads 1"

if [ "$3" = inside ]; then
  # A file system of 5 MB of its own, that nobody else sees.
  disk=$folder/disk
  mount -t tmpfs -o size=5m none "$disk" || exit 77

  expect too_large 3 '^manychain: .*/draws\.nc: there is no room for it: it needs [0-9.]+ MB, and 5\.24 MB are free' \
    $large --output "$disk/draws.nc" --json "$disk/run.json"
  table
  absent "$disk/draws.nc"
  grep -q 'The run goes on, for its summary\.' "$folder/err.txt" || fail "$name: nothing was said before the run"
  grep -q '^}' "$disk/run.json" || fail "$name: no JSON"
  rm -f "$disk/run.json"

  # An older file is replaced by a whole one or not at all.
  expect older 0 '' $small --output "$disk/draws.nc"
  cp "$disk/draws.nc" "$folder/older.nc"
  expect not_replaced 3 'there is no room' $large --output "$disk/draws.nc"
  cmp "$disk/draws.nc" "$folder/older.nc" || fail "$name: the older file has changed"
  rm "$disk/draws.nc"

  # A store grows while its run goes on: what was whole stays, and the run has its table all the same.
  expect older_store 0 '' $small --output "$disk/draws.zarr"
  expect store_not_whole 3 'draws\.zarr: cannot be written: No space left on device' $large --output "$disk/draws.zarr"
  table
  [ -f "$disk/draws.zarr/zarr.json" ] || fail "$name: what was whole is gone"
  for left in "$disk"/*.partial; do [ ! -e "$left" ] || fail "$name: $left was left"; done
  rm -r "$disk/draws.zarr"
  # A run that has its draws nowhere else ends there.
  expect store_that_is_needed 3 'ends here: what is stored goes on by manychain resume' $large --memory 1 \
    --output "$disk/draws.zarr"
  [ -f "$disk/draws.zarr/manychain.state" ] || fail "$name: what was whole is gone"
  rm -r "$disk/draws.zarr"

  # Filled by somebody else while the chains run: room before, none after. The run would take hours and is interrupted.
  name=filled_meanwhile
  "$program" sample eight_schools --chains 64 --warmup 20 --draws 500 --thin 30000 --seed 1 --backend cpu \
    --threads 1 --output "$disk/draws.nc" >"$folder/out.txt" 2>"$folder/err.txt" &
  run=$!
  trap 'kill -KILL $run 2>/dev/null' EXIT
  tries=0
  until grep -q sampling "$folder/err.txt"; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ] || ! kill -0 $run 2>/dev/null; then fail "$name: it never said that it samples"; break; fi
    sleep 0.1
  done
  grep -q 'no room' "$folder/err.txt" && fail "$name: there is room before the run"
  cat /dev/zero >"$disk/fill" 2>/dev/null
  sleep 1 # a draw or two
  kill -INT $run
  wait $run
  got=$?
  trap - EXIT
  [ $got -eq 3 ] || fail "$name: exit status $got, expected 3"
  grep -q 'draws\.nc: there is no room' "$folder/err.txt" || fail "$name: no sentence"
  table
  absent "$disk/draws.nc"

  expect json 3 'run\.json: cannot be written: No space left on device' $small --output none --json "$disk/run.json"
  table
  absent "$disk/run.json"
  "$program" $small --output "$folder/whole.nc" >/dev/null || fail "no whole file"
  expect summary_json 3 'No space left' summary "$folder/whole.nc" --json "$disk/summary.json"
  table
  absent "$disk/summary.json"

  rm -f "$disk/fill"
  expect store_to_read 0 '' $small --output "$disk/read.zarr"
  cp -r "$disk/read.zarr" "$folder/read.zarr"
  mount -o remount,ro "$disk"
  expect read_only_store 2 'new\.zarr: cannot be written: .*Read-only file system' $small --output "$disk/new.zarr"
  [ -s "$folder/out.txt" ] && fail "$name: it was not told before the run"
  expect resume_read_only 2 'read\.zarr: cannot be written: Read-only file system' resume "$disk/read.zarr" --more 1
  expect merge_read_only 2 'merged\.zarr: cannot be written: .*Read-only file system' merge "$disk/merged.zarr" "$disk/read.zarr"
  expect summary_read_only 0 '' summary "$disk/read.zarr"
  table
  diff -r "$disk/read.zarr" "$folder/read.zarr" >/dev/null || fail "a store that is only read has changed"
  expect read_only 2 'draws\.nc: cannot be written: .*Read-only file system' $small --output "$disk/draws.nc"
  [ -s "$folder/out.txt" ] && fail "$name: it was not told before the run"
  [ $failures -eq 0 ]
  exit
fi

rm -rf "$folder"
mkdir -p "$folder/disk"
cd "$folder" || exit 1

# A message that cannot be written ends nothing: the run takes place, and its draws are there.
name=silent
"$program" $small --output silent.nc --json - 2>/dev/full >out.txt
[ $? -eq 0 ] && [ -s silent.nc ] && grep -q '^}' out.txt || fail "a full stderr spoils a run"
"$program" sample nothing 2>/dev/full >out.txt
[ $? -eq 2 ] || fail "a full stderr spoils the status of a refusal"
echo '{"D": 2000}' >wide.json
"$program" sample normal --data wide.json --chains 64 --warmup 20 --draws 50 --seed 1 --backend cpu --threads 1 \
  --show x --output wide.nc >/dev/full 2>err.txt
[ $? -eq 3 ] && [ -s wide.nc ] || fail "a full stdout spoils a run"
grep -q '^manychain: the standard output cannot be written: No space left' err.txt || fail "no sentence on a full stdout"

# The file that stdout writes to is not replaced, under whatever name: the JSON follows the table.
for json in /dev/stdout named.txt; do
  "$program" $small --output none --json $json >named.txt 2>err.txt
  [ $? -eq 0 ] && grep -q '^theta\[8\] ' named.txt && [ "$(tail -n 1 named.txt)" = '}' ] ||
    fail "--json $json spoils what stdout writes to"
  "$program" $small --output $json >named.txt 2>err.txt
  [ $? -eq 2 ] && grep -q "^manychain: $json: cannot be written: stdout or stderr goes there$" err.txt ||
    fail "--output $json replaces what stdout writes to"
done

# Without a disk of one's own: a limit of the size of files, a device that is always full, files that are protected.
"$program" $small --output sound.nc >out.txt 2>err.txt || fail "no sound file"
(
  failures=0
  ulimit -f 16
  expect limited 3 'draws\.nc: .*no file may be larger than [0-9.]+ kB here' $small --output draws.nc
  table
  absent draws.nc
  # The words of a fault are one line, whatever the name of the file.
  expect one_line 3 'a b\.nc: .*no file may be larger' $small --output "a
b.nc"
  [ "$(grep -c 'no file may be larger' err.txt)" -eq "$(grep -vc '^diagnostics (Ctrl-C' err.txt)" ] || fail "$name: more than its lines"
  expect sound 2 'sound\.nc: cannot be read: it needs [0-9.]+ kB of shared memory, and no file .* [(]ulimit -f[)]$' \
    summary sound.nc
  exit $failures
) || failures=$((failures + 1))
expect full_device 3 '/dev/full: cannot be written: No space left' $small --output none --json /dev/full
table
"$program" $small --output none >/dev/full 2>err.txt
[ $? -eq 3 ] || fail "a table that got nowhere is no success"
: >protected.nc
chmod 400 protected.nc
[ -w protected.nc ] || expect protected 2 'protected\.nc: cannot be written: Permission denied' $small \
  --output protected.nc
[ $failures -eq 0 ] || exit 1

for namespace in 'unshare -rm' 'unshare -m'; do
  if $namespace true 2>/dev/null; then
    $namespace sh "$0" "$program" "$folder" inside
    exit
  fi
done
echo "skipped: there is no way to mount a small disk here"
exit 77
