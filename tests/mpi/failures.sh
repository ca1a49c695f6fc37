#!/bin/sh
# failures.sh MPIRUN PROGRAM: what ends one rank ends all, within seconds, with a sentence.
set -u
mpirun=$1 program=$2
failed=0

# ends WAY STATUS LINES WORDS: with that status, and so many lines that say the words.
ends() {
  way=$1 status=$2 lines=$3 words=$4
  said=$(timeout 60 "$mpirun" -n 3 "$program" "$way" 2>&1)
  got=$?
  found=$(printf '%s\n' "$said" | grep -c "$words")
  if [ "$status" != any ] && [ "$got" -ne "$status" ] || [ "$got" -eq 124 ] || [ "$found" -ne "$lines" ]; then
    printf '%s: status %s, not %s; %s lines, not %s, say "%s":\n%s\n' "$way" "$got" "$status" "$found" "$lines" "$words" "$said"
    failed=1
  fi
}

ends bad_input 2 3 "^rank [012]: bad input: .*chains"
ends other_seed 2 3 "^rank [012]: bad input: rank 2 of the run has other settings than rank 0"
ends exception 3 3 "^rank [012]: the disk of rank 2 is full$"
ends cancel 0 1 "^cancelled, some draws$"
# mpirun ends the others.
start=$(date +%s)
ends kill any 1 "exited on signal 9"
[ $(($(date +%s) - start)) -lt 30 ] || { echo "kill: it took more than 30 s"; failed=1; }
exit $failed
