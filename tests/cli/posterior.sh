#!/bin/sh
# Draws from files as `manychain summary` and `manychain diagnose` meet them: whole ones, damaged ones, hopeless ones.
#
#   posterior.sh PROGRAM DATA FOLDER
program=$1
data=$2
folder=$3
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
failures=0

# expect NAME STATUS PATTERN ARGUMENT...: the exit status, and a line of stdout or stderr that matches.
expect() {
  name=$1 status=$2 pattern=$3
  shift 3
  "$program" "$@" >out.txt 2>err.txt
  got=$?
  if [ $got -ne "$status" ] || ! cat out.txt err.txt | grep -Eq -- "$pattern"; then
    echo "$name: exit status $got, expected $status; expected a line: $pattern"
    cat out.txt err.txt
    failures=$((failures + 1))
  fi
  # A refusal is one line, and no table stands beside it.
  if [ "$status" -eq 2 ] && { [ "$(wc -l <err.txt)" -ne 1 ] || [ -s out.txt ]; }; then
    echo "$name: a refusal is one line on stderr"
    failures=$((failures + 1))
  fi
}

for i in 1 2 3 4; do cp "$data/bern$i.csv" "$i.csv"; done
header=lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,theta
first=$(grep -n "^$header" 1.csv | cut -d: -f1)

# Whole files.
expect table 0 '^theta +0\.2513 +0\.0032 +0\.1215 +0\.0772 +0\.2375 +0\.4739 +1\.007 +1408 +1292$' summary ?.csv
expect header_of_table 0 '^ +mean +mcse +sd +5% +50% +95% +R_hat +ESS_bulk +ESS_tail$' summary ?.csv
expect verdict 0 '^Converged: every R-hat < 1\.01 \(largest 1\.0068\), every bulk ESS > 400 \(smallest 1408\)' summary ?.csv
expect sound 0 '^Converged: ' diagnose ?.csv
expect matrices 0 '^mu\[14\] ' summary "$data/blocker.1.csv" "$data/blocker.2.csv" --rows 0
expect rows 0 '^2 of 49 rows are shown' summary "$data/blocker.1.csv" "$data/blocker.2.csv" --rows 2
expect scalars_first 0 '^d ' summary "$data/blocker.1.csv" "$data/blocker.2.csv" --rows 20
expect show 0 '^mu\[2\] ' summary "$data/blocker.1.csv" "$data/blocker.2.csv" --show d,mu
[ "$(grep -c '^[a-z]*\[' out.txt)" -eq "$(grep -c '^mu\[' out.txt)" ] || { echo "--show shows more"; failures=$((failures + 1)); }
expect pattern 0 '^mu\[14\] ' summary "$data/blocker.1.csv" --show 'm*'
expect show_unknown 2 '--show: there is no my; did you mean mu' summary "$data/blocker.1.csv" --show d,my
expect worst_first 4 'R-hat: not below 1\.01 for 8 of 49 quantities \(lp__, ' \
  diagnose "$data/blocker.1.csv" "$data/blocker.2.csv"
expect unseen 4 'Not looked at, .*divergences and the energy' diagnose "$data/blocker.1.csv" "$data/blocker.2.csv"
expect one_chain 0 '^manychain .* 1 chain of 1000 draws$' summary 1.csv
expect json 0 '^ *"ess_tail": 1291\.71' summary ?.csv --json -
expect json_file 0 '^Converged' summary ?.csv --json out.json
grep -q '"converged": true' out.json || { echo "no out.json"; failures=$((failures + 1)); }

# One file of several chains, as R writes it: names of rows without a name, and columns that say the chain of a line.
lines_of() { for i in 1 2 3 4; do grep -v '^#' $i.csv | awk -F, -v chain=$i 'NR > 1 && NF > 1 { print chain "," NR - 1 "," $1 "," $8 }'; done; }
lines_of | awk -F, 'BEGIN { print "\"\",\"lp__\",\"theta\",\".chain\",\".iteration\",\".draw\"" }
                    { print "\"" NR "\"," $3 "," $4 "," $1 "," $2 "," NR }' >posterior.csv
lines_of | sort -t, -k2,2n -k1,1n | awk -F, 'BEGIN { print "Iteration,Chain,theta,lp__" } { print $2 "," $1 "," $4 "," $3 }' >mixed.csv
for file in posterior mixed; do
  expect chains_of_$file 0 '4 chains of 1000 draws' summary $file.csv
  expect table_of_$file 0 '^theta +0\.2513 +0\.0032 +0\.1215 +0\.0772 +0\.2375 +0\.4739 +1\.007 +1408 +1292$' summary $file.csv
  if grep -Eq '^[.]?([Cc]hain|[Ii]teration|draw) ' out.txt; then
    echo "$file: a column of indices is no quantity"
    failures=$((failures + 1))
  fi
done
printf 'chain,iteration,x\n1,1,3\n1,1,4\n' >twice.csv
expect twice 2 'iteration 1 stands twice in chain 1' summary twice.csv
printf 'iteration,x\n1,3\n2,4\n1,3\n2,5\n' >twice.csv
expect no_chain 2 'iteration 1 stands twice; a column chain is missing' summary twice.csv
printf 'chain,iteration,x\n1,1,3\n1,2,4\n2,1,4\n' >unequal.csv
expect unequal 2 'chain 2 has 1 draws, chain 1 has 2; leave out' summary unequal.csv
printf 'chain,x\n0.5,1\n0.25,2\n' >quantity.csv
expect quantity 2 'column chain has 0\.5, which is no number of a chain.*another name' summary quantity.csv
printf 'chain,.chain,x\n1,1,1\n' >both.csv
expect both 2 'chain and \.chain both say the chain; leave one out' summary both.csv
printf 'Iteration,Chain,Parameter,value\n1,1,mu,0.5\n' >ggmcmc.csv
expect ggmcmc 2 'Parameter is "mu", which is not a number; give a column for each quantity, not a line' summary ggmcmc.csv
printf '# num_samples = 2\nchain,x\n1,1\n2,2\n' >own.csv
expect own_quantity 0 '^chain ' summary own.csv
printf 'x,,y\n1,2,3\n' >nameless.csv
expect nameless 2 'column 2 of the header has no name' summary nameless.csv

# Warm-up is left out: that of CmdStan by its mark, that of a sampler which does not adapt by its length.
awk -v first="$first" '/^# Adaptation/ { for (i = 0; i < 50; ++i) print "0,0,0,0,0,0,0,100" } { print }' 1.csv |
  sed 's/save_warmup = false (Default)/save_warmup = true/' >warm.csv
expect warmup 0 '^theta +0\.2492 ' summary warm.csv
expect warmup_length 0 '1 chain of 1000 draws' summary warm.csv
{
  printf '# num_samples = 20\n# num_warmup = 10\n# save_warmup = 1\n# thin = 2\nx\n'
  seq 101 105
  seq 1 10
} >fixed.csv
expect warmup_counted 0 '^x +5\.5' summary fixed.csv

# Damaged files: refused with their line, or the verdict says so.
head -n 800 1.csv >short.csv
expect truncated 4 '^  - short\.csv: has [0-9]+ of 1000 draws; the run did not come to its end\.$' diagnose short.csv
expect truncated_summary 0 '^NOT converged' summary short.csv
expect ragged 2 'has 1000 draws, short\.csv has [0-9]+;' summary short.csv 2.csv
head -c 30000 1.csv | sed '$s/,[^,]*$//' >cut.csv
expect cut_line 2 'cut\.csv: line [0-9]+: it has [0-9] values, the header 8 names; the line is cut' summary cut.csv
{ head -n 800 1.csv; printf %s '-7,1,1,1,1,0,7,0.2'; } >no_end.csv
expect cut_number 4 'its last line has no end, so that its last number may be cut' diagnose no_end.csv
# Wherever a file is cut before its last draw ends, it is refused or said to be cut.
whole=$(grep -b -o '^#  Elapsed' 1.csv | cut -d: -f1)
bytes=700
while [ $bytes -lt "$whole" ]; do
  head -c $bytes 1.csv >anywhere.csv
  "$program" diagnose anywhere.csv >out.txt 2>&1
  got=$?
  if [ $got -ne 2 ] && { [ $got -ne 4 ] || ! grep -q '^  - anywhere.csv: ' out.txt; }; then
    echo "cut after $bytes bytes: exit status $got"
    failures=$((failures + 1))
  fi
  bytes=$((bytes + 1373))
done
{ cat 1.csv; sed -n "$((first + 5))p" 1.csv; } >more.csv
expect too_many 4 'has 1001 draws, and its header says 1000' diagnose more.csv
sed "1,${first}d" 1.csv | grep -v '^#' >bare.csv
expect no_header 2 'bare\.csv: line 1: a header .* is missing' summary bare.csv
cat 1.csv 2.csv >two.csv
expect two_files_in_one 2 'two\.csv: line [0-9]+: lp__ is "lp__", which is not a number' summary two.csv
sed "${first}s/theta/phi/" 2.csv >other.csv
expect other_columns 2 'other\.csv: column 8 is phi, in 1\.csv it is theta' summary 1.csv other.csv
sed "${first}s/theta/lp__/" 2.csv >twice.csv
expect same_name 2 'two columns are called lp__' summary twice.csv
sed 's/method = sample (Default)/method = variational/' 1.csv >variational.csv
expect no_chain 2 'comes from method variational' summary variational.csv
: >empty.csv
expect empty 2 'empty\.csv: has no header' summary empty.csv
head -n "$first" 1.csv >begun.csv
expect no_draws 2 'begun\.csv: has no draws after warm-up' summary begun.csv
expect missing 2 'none\.csv: cannot be read: No such file' summary none.csv
expect is_folder 2 'cannot be read: Is a directory' summary "$data"
expect nothing 2 'give a file of draws' diagnose
expect given_twice 2 '1\.csv: is given twice' summary 1.csv 1.csv
expect overwrites 2 '1\.csv: cannot be written: it is a file that is read' summary 1.csv --json 1.csv
expect option 2 'unknown option --row; did you mean --rows' summary 1.csv --row=1

# Draws that are no good. Never "fine", whatever the others say.
damage() { awk -F, -v OFS=, "/^[^#l]/ && NF == 8 { ++n; $1 } { print }" "$2"; }
damage 'if (n == 500) $8 = "NaN"' 2.csv >nan.csv
expect not_a_number 4 'Not finite: .* of 1 of 2 quantities \(theta\), in 1 of 4 chains \(nan\.csv\)' \
  diagnose 1.csv nan.csv 3.csv 4.csv
expect not_a_number_table 0 '^theta +nan .* nan +nan +nan$' summary 1.csv nan.csv 3.csv 4.csv
grep -q '^Converged' out.txt && { echo "NaN passed"; failures=$((failures + 1)); }
damage 'if (n == 7) $8 = "-inf"' 2.csv >inf.csv
expect infinity 4 'Not finite: ' diagnose 1.csv inf.csv
for i in 1 2; do damage '$8 = 0.5' $i.csv >constant$i.csv; done
expect constant 4 'Constant: one value in all draws of 1 of 2 quantities \(theta\)' diagnose constant1.csv constant2.csv
damage 'if (n > 800) { $1 = -7; $8 = 0.2 }' 3.csv >stuck.csv
expect stuck 4 'Stuck: no move in the last 100 draws of 1 of 4 chains \(stuck\.csv\)' \
  diagnose 1.csv 2.csv stuck.csv 4.csv
mkdir -p other && cp stuck.csv other/1.csv
expect same_file_name 4 'of 1 of 2 chains \(other/1\.csv\)' diagnose 1.csv other/1.csv
damage '$6 = n % 100 == 0' 4.csv >divergent.csv
expect divergences 4 'Divergences: 10 of 4000 transitions \(0\.25 %\), in 1 of 4 chains \(divergent\.csv\)' \
  diagnose 1.csv 2.csv 3.csv divergent.csv
damage '$7 = n * n' 4.csv >energy.csv
expect energy 4 'E-BFMI: below 0\.3 in 1 of 4 chains \(energy\.csv\)' diagnose 1.csv 2.csv 3.csv energy.csv
damage '$4 = 10' 4.csv >deep.csv
expect depth 0 'note: Tree depth: 1000 of 4000 trajectories' diagnose 1.csv 2.csv 3.csv deep.csv
# 200 chains of 9 independent draws: a bulk ESS far above 400, and fewer than 10 per chain. Of four chains it is no matter.
mkdir -p many
awk 'BEGIN { x = 1; for (c = 1; c <= 200; ++c) { f = "many/" c ".csv"; print "x" >f;
  for (t = 0; t < 9; ++t) { s = 0; for (k = 0; k < 12; ++k) s += (x = 16807 * x % 2147483647) / 2147483647
    print s - 6 >f } close(f) } }'
expect few_a_chain 0 'note: Effective draws: below 10 per chain for 1 of 1 quantities \(x\); the smallest is [3-9](\.[0-9])? per chain\.$' \
  diagnose many/*.csv
"$program" diagnose ?.csv >out.txt
grep -q 'Effective draws' out.txt && { echo "four chains: below 10 per chain"; failures=$((failures + 1)); }
damage '$8 = $8 + 1' 4.csv >apart.csv
expect apart 4 'R-hat: not below 1\.01 for 1 of 2 quantities \(theta\)' diagnose 1.csv 2.csv 3.csv apart.csv
cp 1.csv copy.csv
expect identical 4 'Identical: the same draws as in another chain, in 2 of 3 chains \(1\.csv, copy\.csv\)' \
  diagnose 1.csv 2.csv copy.csv
{ echo x,y; printf '%s\n' 1,2 3,4 2,5; } >few.csv
expect few 4 'Too few draws: 3 of each chain' diagnose few.csv

# Other programs: quotes, brackets, line ends of DOS.
{ printf '"theta[1,2]","mu.3"\r\n'; seq 1 12 | sed 's/.*/&,+&e-1\r/'; } >other_program.csv
expect quoted 0 '^theta\[1,2\] +6\.5' summary other_program.csv
expect brackets 0 '^mu\[3\] +0\.65' summary other_program.csv

# A file of its own says what the run said.
run="sample eight_schools --chains 64 --warmup 200 --draws 50 --thin 20 --seed 1 --backend cpu --threads 1"
"$program" $run >run.txt || failures=$((failures + 1))
expect own_file 0 '^manychain .* 18 quantities, 64 chains of 50 draws' summary eight_schools.nc
for name in mu 'theta_trans\[3\]' 'theta\[8\]'; do
  mean=$(grep "^$name " run.txt | awk '{ print $2 }')
  expect "own_$name" 0 "^$name +$mean " summary eight_schools.nc
done
expect own_diagnosis 0 '^Converged: ' diagnose eight_schools.nc
expect alone 2 'eight_schools\.nc: is NetCDF .* give it alone' summary 1.csv eight_schools.nc
# It comes to the verdict of the run, whatever that is: the same lines from the verdict on.
same_verdict() {
  name=$1
  shift
  "$program" sample "$@" --seed 1 --backend cpu --threads 1 --output "$name.nc" >run.txt 2>&1
  "$program" diagnose "$name.nc" --threads 1 >out.txt 2>&1
  for file in run.txt out.txt; do
    sed -n '/^\(Converged\|NOT converged\)/,/^$/p' $file | sed '/^$/d' >"verdict_$file"
  done
  if ! [ -s verdict_run.txt ] || ! diff verdict_run.txt verdict_out.txt; then
    echo "same_$name: the file is judged in another way than its run"
    failures=$((failures + 1))
  fi
}
same_verdict thinned_walk normal --sampler metropolis --chains 1024 --warmup 200 --draws 100 --thin 3
grep -q '^Converged: every nested R-hat' out.txt || { echo "superchains are forgotten"; failures=$((failures + 1)); }
same_verdict short_chains normal --chains 4096 --draws 3
same_verdict short_warmup funnel --chains 64 --warmup 5 --draws 8
same_verdict no_superchains funnel --chains 64 --warmup 100 --draws 60 --superchains 0
same_verdict divergent eight_schools_centered --metric low_rank --chains 256 --warmup 150 --draws 100
same_verdict biased linear_regression --sampler ula --chains 64 --warmup 200 --draws 100
same_verdict double funnel --chains 8 --warmup 20 --draws 4 --precision double
# Random walks have no momenta: their slow energies are no finding.
"$program" $run --sampler metropolis --output walk.nc >run.txt || failures=$((failures + 1))
expect walk 4 'R-hat' diagnose walk.nc
grep -q 'E-BFMI: ' out.txt && { echo "E-BFMI of a random walk"; failures=$((failures + 1)); }
grep -q 'Not looked at' out.txt && { echo "E-BFMI of a random walk is asked for"; failures=$((failures + 1)); }
head -c 2000 eight_schools.nc >half.nc
expect half_a_file 2 'half\.nc: cannot be read' summary half.nc
expect required 0 'Converged' $run --require-converged --output none
short="sample funnel --chains 4 --warmup 5 --draws 10 --seed 1 --backend cpu --threads 1 --output none"
expect not_required 0 'NOT converged' $short
expect required_and_not_met 4 'NOT converged' $short --require-converged

[ $failures -eq 0 ] || exit 1
