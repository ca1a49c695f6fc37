#!/bin/sh
# nvcc_with_report.sh REPORT COMMAND...: runs the compiler, keeps what ptxas says of registers, stack and spills in the
# file REPORT, and shows only the rest (errors and warnings).
report=$1
shift
"$@" >"$report" 2>&1
status=$?
grep -vE '^ptxas info|^ +[0-9]+ bytes stack frame|^$' "$report" >&2
exit $status
