#!/bin/sh
# A program that installs no handler of its own ends at once. timeout(1) gives 130 where a shell would.
#
#   interrupt_gallery.sh PROGRAM
timeout --preserve-status -s INT 1 "$1" gallery --all >/dev/null 2>&1
status=$?
[ $status -eq 130 ] || { echo "manychain gallery: exit status $status, expected 130"; exit 1; }
