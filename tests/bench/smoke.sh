#!/bin/sh
# The benchmark runs one case and writes every key that its readers count on.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" --backend cpu --filter '^hmc/normal_10/64$' --seconds 0.05 --json "$work/figures.json" >"$work/log"
for key in context device driver compiler commit threads isa results name sampler model backend precision chains \
  transitions_per_second gradients_per_second min_ess_bulk_per_second bound bound_share; do
  grep -q "\"$key\":" "$work/figures.json" || { echo "no key \"$key\" in:"; cat "$work/figures.json"; exit 1; }
done
grep -q '"hmc/normal_10/64"' "$work/figures.json"

"$1" --bias --backend cpu --filter '^bias/correlated_normal/512/(default|uniform)$' --json "$work/bias.json" >"$work/log"
for start in default uniform; do  # first and for good are numbers, or the latter is never: 512 chains have b^2 of 1 / 512
  grep -Eq "^bias/correlated_normal/512/$start +[0-9]+ +([0-9]+|never) " "$work/log" || { cat "$work/log"; exit 1; }
done
for key in target chains gradients_to_first gradients_to_for_good gradients_of_paths mean_squared_bias_times_chains; do
  grep -q "\"$key\":" "$work/bias.json" || { echo "no key \"$key\" in:"; cat "$work/bias.json"; exit 1; }
done

"$1" --neighbour --list | grep -qx 'two_threads_to_one/warmup/logistic_regression/busy_core' || exit 0  # one core
"$1" --neighbour --filter warmup/logistic_regression/busy_core --seconds 0.01 --json "$work/neighbour.json" >"$work/log"
grep -q '"two threads":' "$work/neighbour.json"
