#!/bin/sh
# check_ptxas_report.sh FOLDER [EXCEPT]: reads what ptxas said of the kernels of the built-in models (*.ptxas in FOLDER).
# Kernels in single precision must keep everything in registers: no stack frame, no spill. Those in double precision, and
# those whose demangled name matches the regular expression EXCEPT, are only reported.
set -eu
folder=$1
except=${2:-^$}
cat "$folder"/*.ptxas | c++filt | awk -v except="$except" '
  /Compiling entry function/ {
    name = $0; sub(/^[^\x27]*\x27/, "", name); sub(/\x27 for .*/, "", name)
    target = $0; sub(/.*\x27 for \x27/, "", target); sub(/\x27.*/, "", target)
  }
  /bytes stack frame/ { stack = $1; spill = $5 + $9 }
  /Used [0-9]+ registers/ {
    for (i = 1; i < NF; ++i) if ($i == "Used") registers = $(i + 1)
    ++kernels
    verdict = "ok"
    if (stack + spill > 0) {
      verdict = "reported"
      if (name !~ /double/ && name !~ except) { verdict = "FAILED"; ++failed }
    }
    printf "%-8s %s %3d registers, %d bytes stack, %d bytes spilled: %s\n", verdict, target, registers, stack, spill, name
    stack = spill = 0
  }
  END {
    printf "%d kernels, %d failed\n", kernels, failed
    exit kernels == 0 || failed > 0
  }'
