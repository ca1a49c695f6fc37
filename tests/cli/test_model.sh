#!/bin/sh
# `manychain test` as people use it: a model whose data say which mistake it makes, and references of several kinds.
# Compiles one model, with a cache of its own.
#
#   test_model.sh PROGRAM HEADER FOLDER
program=$1
header=$2
folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
export MANYCHAIN_CACHE="$folder/cache"
cp "$header" simulated.hpp
failures=0

# expect NAME STATUS PATTERN ARGUMENT...: the exit status, and a line of stdout or stderr that matches.
expect() {
  name=$1 status=$2 pattern=$3
  shift 3
  "$program" test "$@" >out.txt 2>err.txt
  got=$?
  if [ $got -ne "$status" ] || ! cat out.txt err.txt | grep -Eq -- "$pattern"; then
    echo "$name: exit status $got, expected $status; expected a line: $pattern"
    cat out.txt err.txt
    failures=$((failures + 1))
  fi
}
also() {
  cat out.txt err.txt | grep -Eq -- "$1" && return
  echo "$name: expected a line: $1"
  cat out.txt err.txt
  failures=$((failures + 1))
}
y='[1.2, 0.3, -0.5, 2.2, 1.9, 0.8, 1.1, -0.2, 2.5, 0.6, 1.4, 1.0]'
data() {
  echo "{\"N\": 12, \"mistake\": $1, \"y\": $y}" >data$1.json
  echo "data$1.json"
}

# Data of its own.
expect right 0 "^Passed: the ranks of 5 quantities are uniform in 40 simulations" simulated.hpp --data "$(data 0)" \
  --simulations 40 --json found.json
also "40 data sets of the model's own [(]y by y_rep replaced[)], each sampled by 256 chains"
also "^sigma +[0-9.]+ +[0-9.e-]+ +right"
grep -q '"passed": true' found.json || { echo "found.json is not what was found"; failures=$((failures + 1)); }
cp out.txt first.txt
expect again 0 "^Passed" simulated.hpp --data data0.json --simulations 40
[ "$(grep '^sigma' out.txt)" = "$(grep '^sigma' first.txt)" ] || { echo "a second test differs"; failures=$((failures + 1)); }
expect sd_of_predictions 1 "^WRONG: the posterior of" simulated.hpp --data "$(data 1)"
also "^sigma +[0-9.]+ +[0-9.e-]+ .*too high [(]by"
expect jacobian 1 "^WRONG" simulated.hpp --data "$(data 2)"
expect gradient 1 "gradient +WRONG, worst at mu" simulated.hpp --data "$(data 6)"
expect data_in_prior 2 "prior of model simulated depends on y" simulated.hpp --data "$(data 3)"
expect improper 2 "improper: no term keeps sigma" simulated.hpp --data "$(data 4)"
expect improper_together 2 "improper: no term keeps mu, theta .*alone or together" simulated.hpp --data "$(data 5)"
expect one_too_many 2 "nothing predicts it with 12 elements [(]y_rep has 13[)]" simulated.hpp --data "$(data 7)"
expect other_name 2 "observe[(]\"total\"[)] of model simulated is called as no variable" simulated.hpp --data "$(data 8)"
y='[1.2, 0.3, 0.5, 2.2, 1.9, 0.8, 1.1, 0.2, 2.5, 0.6, 1.4, 1.0]'
expect positive 2 "refuses [0-9]+ of 100 data sets that its own y_rep drew: variable out of bounds" simulated.hpp --data "$(data 9)"
y='[1, 0, 0, 2, 1, 0, 1, 0, 2, 0, 1, 1]'
expect whole 2 "int variable contained non-int values" simulated.hpp --data "$(data 10)"
expect too_few 2 "at least 20" simulated.hpp --data data0.json --simulations 5
expect no_prediction 2 "model eight_schools observes y, and nothing predicts it; write target.predict" eight_schools
expect no_cuda 2 "--backend cuda is for --reference" eight_schools --backend cuda
expect no_data 2 "model funnel has no observe" funnel

# References.
"$program" sample simulated.hpp --data data0.json --seed 1 --target-ess 20000 --output draws.nc --json sampled.json >/dev/null 2>&1
expect draws 0 "^Agrees: [0-9]+ quantities, means within 5 standard errors, sds within 5 %" simulated.hpp --data data0.json \
  --reference draws.nc
expect summary 0 "^Agrees" simulated.hpp --data data0.json --reference sampled.json
also "^theta.2. +.* agrees"
echo '{"mu": {"mean": 40, "sd": 1, "mcse_mean": 0.01}, "lp__": {"mean": 1, "sd": 1}}' >wrong.json
expect wrong_reference 1 "^WRONG: 1 of 1 quantities differ" simulated.hpp --data data0.json --reference wrong.json --json -
also "^mu +.*WRONG"
also "Only in the reference, not compared: lp__"
also "Only in the model, not compared: sigma, theta.1."
also '"passed": false'
expect other_names 2 "the reference has no quantity of model simulated: it has alpha, the model mu, sigma" simulated.hpp \
  --data data0.json --reference "$(echo '{"alpha": {"mean": 1, "sd": 2}}' >names.json; echo names.json)"
expect no_sd 2 "nosd.json: mu: it has no sd" simulated.hpp --data data0.json \
  --reference "$(echo '{"mu": {"mean": 1}}' >nosd.json; echo nosd.json)"
expect no_file 2 "nowhere.json" simulated.hpp --data data0.json --reference nowhere.json
expect both 2 "--simulations is for a test without --reference" simulated.hpp --data data0.json --reference wrong.json \
  --simulations 50
[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
