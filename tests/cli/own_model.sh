#!/bin/sh
# A model of one's own by one command: `manychain new`, a header in place of a model's name, `manychain build`; and what
# people do wrong. Compiles one model.
#
#   own_model.sh PROGRAM FOLDER CUDA PRECOMPILED      as own_model_functions.sh says
# shellcheck source=tests/cli/own_model_functions.sh
. "$(dirname "$0")/own_model_functions.sh"

# The example.
refuse new_twice 'stopping.hpp: it exists, and is not written over' new stopping
rm stopping.json
refuse new_half 'stopping.hpp: it exists' new stopping
rm stopping.hpp
expect new_again 0 'Wrote stopping.hpp and stopping.json' "$program" new stopping.hpp
refuse new_name '9lives: it names a class' new 9lives
refuse new_blank 'two words: it names a class' new 'two words'
refuse new_nothing 'give a name' new
refuse new_no_folder 'no/x.hpp: cannot be written' new no/x

# A wrong line is refused before a compiler starts.
refuse no_header 'none.hpp: there is no such header' sample none.hpp
refuse a_folder '[.]/: it is a folder' sample ./
refuse no_header_but_data 'stopping.json: a model is the header of a C.. class' sample stopping.json
refuse header_forgotten 'unknown model stopping; did you mean stopping.hpp' sample stopping
refuse data_missing 'none.json: cannot be read: No such file' sample stopping.hpp --data none.json
echo '{"N": ' >half.json
refuse data_half 'half.json: JSON: offset' sample stopping.hpp --data half.json
refuse bad_option 'unknown option --chians; did you mean --chains' sample stopping.hpp --chians 8
refuse class_of_a_name '--class is for the header of a model' sample eight_schools --class A
refuse class_unknown '--class: there is no class Stoping in stopping.hpp; did you mean Stopping' \
  sample stopping.hpp --class Stoping
refuse build_nothing 'give the header of a model' build
refuse build_sampler '--sampler: there is no hcm; did you mean hmc' build stopping.hpp --sampler hmc,hcm
refuse build_precision '--precision: there is no float; did you mean single' build stopping.hpp --precision float
refuse build_size '--size: 0 is no size' build stopping.hpp --size 0
refuse build_both 'give --cuda or --no-cuda' build stopping.hpp --cuda --no-cuda
refuse build_architecture '--architecture: sm_90 is none|without CUDA' build stopping.hpp --architecture sm_90
refuse build_over_header 'stopping.hpp: cannot be written: it is a file that is read' build stopping.hpp -o stopping.hpp
refuse build_to_folder 'cannot be written: it is a folder' build stopping.hpp -o .

# Slips: others are in own_model_slips.sh.
echo 'struct Half { int log_density(' >syntax.hpp
broken syntax "$cut_short" syntax.hpp syntax.hpp "$unexpected"
slip misspelt 's/normal(beta, 0/nromal(beta, 0/' 'there is no nromal: did you mean normal[(]x, mu, sigma[)][?]$'
slip stan_bar 's/normal(beta, 0, 10)/normal_lpdf(beta | 0, 10)/' 'write normal[(]beta, 0, 10[)]: '

# A run that is ended while it compiles leaves nothing.
"$program" sample stopping.hpp --data stopping.json >out.txt 2>err.txt &
run=$!
sleep 0.7
kill -TERM $run
wait $run
got=$?
name=interrupted
[ $got -eq 130 ] || wrong "exit status $got, expected 130"
[ ! "$(ls "$MANYCHAIN_CACHE")" ] || wrong "something was left in the cache"

# It is compiled once, for all commands: check, sample with other settings, build.
# shellcheck disable=SC2086 # words of small
expect sample 0 '^distance_at_20 .*6[01][.]' "$program" sample stopping.hpp --data stopping.json $small
compiled
[ -s stopping.nc ] || wrong "there is no stopping.nc"
grep -v ' s: warm-up' out.txt >first.txt
# shellcheck disable=SC2086
expect sample_again 0 'onverged' "$program" sample ./stopping.hpp --data stopping.json $small --output again.nc --cache "$MANYCHAIN_CACHE"
kept
grep -v -e ' s: warm-up' -e '^Draws' first.txt >1.txt
grep -v -e ' s: warm-up' -e '^Draws' out.txt | cmp -s - 1.txt || wrong "other draws than the first time"
# The library has the programs of HMC and of tempering: after the one, the other takes one unit, which is empty.
units=$(find "$MANYCHAIN_CACHE" -name '*.o' | wc -l)
# shellcheck disable=SC2086
expect tempering 0 'onverged' "$program" sample stopping.hpp --data stopping.json --sampler tempering $small --output none
[ "$(find "$MANYCHAIN_CACHE" -name '*.o' | wc -l)" -eq $((units + 1)) ] || wrong "more than one unit was compiled"
# Draws of a class that is chosen are written beside those of others.
# shellcheck disable=SC2086
expect class_of_header 0 '^Draws: stopping_Stopping.nc' "$program" sample stopping.hpp --class Stopping --data stopping.json $small
kept
expect data_of_another 2 'half.json: JSON: offset' "$program" sample stopping.hpp --data half.json
kept
echo '{"N": 2, "typical_speed": 15, "speed": [1, 2]}' >less.json
expect variable_missing 2 '^manychain: less.json: variable does not exist: distance' \
  "$program" sample stopping.hpp --data less.json
expect no_data 2 'variable does not exist: N; give its data by --data' "$program" sample stopping.hpp
kept
# A refusal that has nothing to do with data does not ask for them.
cat >no_scale.hpp <<'END'
#include "manychain/model.hpp"
template <class Number>
struct NoScale {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto s = target.real("s");
    target += normal(s, 0, 1);
    target += normal(target.real("x"), 0, s);
  }
};
END
expect no_scale 2 '^manychain: .*target.real[(]"s", manychain::lower[(]0[)][)]' "$program" sample no_scale.hpp
! grep -q -e '--data' err.txt || wrong "it asks for data"
expect check 0 '^Right: model stopping' "$program" check stopping.hpp --data stopping.json
kept
expect check_precisions 0 '^  single precision *agrees' "$program" check stopping.hpp --data stopping.json
# An observe() of another name is noted, and is no mistake. Nor is the name of a class that the library has, too, beside a
# using directive.
sed -e 's/target.observe("distance"/target.observe("distence"/' -e 's/struct Stopping/struct Product/' \
  -e '/^#include/a using namespace manychain;' stopping.hpp >noted.hpp
# On a terminal a line says how far it is; nowhere else.
if command -v script >/dev/null; then
  expect terminal 0 '' env TERM=xterm script -qec "'$program' check noted.hpp --data stopping.json" tty.txt
  grep -Eq 'Compiling noted.hpp: .* [0-9] of [0-9] units, [0-9]+ s' tty.txt || wrong "no progress on a terminal"
  grep -Eq 'Compiling noted.hpp: .* [.]{3} [0-9]+[.][0-9] s' tty.txt || wrong "no time that it took"
fi
expect noted 0 '^  note  *observe[(]"distence"[)] has a name that no variable of the data has; did you mean distance[?]' \
  "$program" check noted.hpp --data stopping.json
expect diagnose_it 0 '' "$program" summary stopping.nc
expect build 0 '^Built prog ' "$program" build stopping.hpp -o prog --no-cuda --precision single
rm -f stopping.nc
# shellcheck disable=SC2086
expect built_sample 0 'onverged' ./prog sample --data stopping.json $small
# The program has one precision, and need not choose.
grep -v precision 1.txt >without.txt
grep -v -e ' s: warm-up' -e '^Draws' -e precision out.txt | cmp -s - without.txt || wrong "other draws than manychain sample"
[ -s stopping.nc ] || wrong "there is no stopping.nc"
expect built_name 0 'ESS' ./prog sample stopping --data stopping.json --chains 8 --warmup 50 --draws 50 --output none
expect built_check 0 '^Right' ./prog check --data stopping.json
expect built_models 0 '^stopping ' ./prog models
expect built_diagnose 0 '' ./prog summary stopping.nc
expect built_help 0 '^Try: prog sample --data FILE.json' ./prog --help
expect built_precision 2 'no code in double precision: take --precision single' ./prog sample --data stopping.json --precision double
expect built_sampler 2 'stopping was not compiled for sampler mala: .* --sampler mala to manychain build, or samplers of CompileSettings to compile_model\(\)$' \
  ./prog sample --data stopping.json --sampler mala --output none
expect built_other 2 'this program has a model of its own, stopping' ./prog sample other.hpp
expect built_twice 0 '^Built prog ' "$program" build stopping.hpp -o prog --no-cuda --precision single
kept

finish
