# shellcheck shell=sh
# expect NAME STATUS PATTERN COMMAND...: the exit status, and a line of stdout or stderr that matches. Counts `failures`.
# The file is sourced.
failures=0
expect() {
  name=$1 status=$2 pattern=$3
  shift 3
  "$@" >out.txt 2>err.txt
  got=$?
  if [ $got -ne "$status" ] || ! cat out.txt err.txt | grep -Eq -- "$pattern"; then
    wrong "exit status $got, expected $status; expected a line: $pattern"
  fi
}
wrong() {
  echo "$name: $1"
  cat out.txt err.txt
  failures=$((failures + 1))
}
