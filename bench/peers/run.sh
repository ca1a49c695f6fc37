#!/bin/sh
# Measures everything of this folder and writes it to one file. Nothing else should run on the machine.
#   MANYCHAIN=PROGRAM MANYCHAIN_POSTERIORS=PROGRAM MANYCHAIN_BENCH=PROGRAM bench/peers/run.sh RESULTS [FOLDER]
# FOLDER, build/peers if none is given, takes packages, compiled models and all single runs as JSON. Without the three
# programs of manychain the others are measured alone. Other variables: SEEDS, MANYCHAIN_OPTIONS (of manychain sample),
# POSTERIORS_OPTIONS (of manychain_posteriors), FILTER (of posteriors), MODELS and SAMPLERS (of ensembles), and SCALE
# (of transitions of ensembles: for trying).
set -eu
if [ $# -lt 1 ]; then sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; fi
here=$(cd "$(dirname "$0")" && pwd)
results=$1
folder=${2:-build/peers}
mkdir -p "$folder" "$(dirname "$results")"
folder=$(cd "$folder" && pwd)

if ! [ -f "$folder/venv/complete" ]; then
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --requirement "$here/requirements.txt"
  touch "$folder/venv/complete"
fi
python=$folder/venv/bin/python
for library in nutpie pystan; do
  "$python" "$here/posteriors.py" --library $library --folder "$folder" --filter "${FILTER:-}" --compile-only
done

: > "$results"
measure() {  # NAME SCRIPT OPTION...
  name=$1 script=$2
  shift 2
  echo "$name: $script" >&2
  "$python" "$here/$script" "$@" --json "$folder/$name.json" >> "$results"
  echo >> "$results"
}

# Two programs of manychain beside the others, where they are given.
beside_posteriors() {
  if [ -n "${MANYCHAIN_POSTERIORS:-}" ]; then
    set -- "$@" --manychain "$MANYCHAIN_POSTERIORS" "--manychain-options=${POSTERIORS_OPTIONS:-}"
  fi
  measure "$@"
}
beside_ensembles() {
  if [ -n "${MANYCHAIN:-}" ]; then
    set -- "$@" --manychain "$MANYCHAIN" "--manychain-options=${MANYCHAIN_OPTIONS:-}"
  fi
  if [ -n "${SAMPLERS:-}" ]; then set -- "$@" --samplers "$SAMPLERS"; fi
  if [ -n "${MODELS:-}" ]; then set -- "$@" --models "$MODELS"; fi
  measure "$@"
}

seeds=${SEEDS:-5}
chosen=${FILTER:-}
common() { "$@" --folder "$folder" --seeds "$seeds" --filter "$chosen"; }
common beside_posteriors nutpie posteriors.py --library nutpie
common measure nutpie-4 posteriors.py --library nutpie --chains 4
common beside_posteriors pystan posteriors.py --library pystan
beside_ensembles ensembles ensembles.py --seeds "$seeds" --scale "${SCALE:-1}"
measure gradients gradients.py ${MANYCHAIN_BENCH:+--manychain-bench "$MANYCHAIN_BENCH"}
SAMPLERS=numpyro_nuts
beside_ensembles nuts ensembles.py --seeds 1 --cores 2 --scale "${SCALE:-1}"  # takes minutes
echo "written: $results, and all runs in $folder/*.json" >&2
