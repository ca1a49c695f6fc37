#!/bin/sh
# A model of one's own by one command: `manychain new`, a header in place of a model's name, `manychain build`; and what
# people do wrong. Compiles three models, with a cache of its own.
#
#   own_model.sh PROGRAM FOLDER CUDA PRECOMPILED      CUDA: 1 if models are built with CUDA code, too; PRECOMPILED: ON if
#                                                     what their units include is precompiled
program=$1
folder=$2
cuda=$3
precompiled=$4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
unset MANYCHAIN_CACHE XDG_CACHE_HOME
export MANYCHAIN_CACHE="$folder/a cache"
failures=0
# Clang, which compiles for sanitizers, does not name a file that ends too early, and shows all candidates of an operator.
most=22 cut_short='syntax.hpp:1:' unexpected='expected '
if grep -q '^version Clang' "$(dirname "$program")/../share/manychain/toolchain.txt"; then
  most=26 cut_short='expected parameter declarator' unexpected='it does not compile'
fi

# expect NAME STATUS PATTERN COMMAND...: the exit status, and a line of stdout or stderr that matches.
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
# A refusal before anything is compiled: status 2, one line, and nothing in the cache that was not there.
refuse() {
  before=$(ls "$MANYCHAIN_CACHE" 2>&1)
  name=$1 pattern=$2
  shift 2
  expect "$name" 2 "^manychain: .*$pattern" "$program" "$@"
  if [ "$(wc -l <err.txt)" -ne 1 ] || [ -s out.txt ]; then wrong "a refusal is one line on stderr"; fi
  [ "$before" = "$(ls "$MANYCHAIN_CACHE" 2>&1)" ] || [ ! "$(ls "$MANYCHAIN_CACHE")" ] || wrong "something was left in the cache"
}
compiled() { grep -q '^Compiling ' err.txt || wrong "nothing was compiled"; }
kept() { ! grep -q 'Compiling' err.txt || wrong "it was compiled once more"; }
# A model that does not compile: status 2, at most 20 lines, in one of them the pattern, in the last FILE:LINE: or
# FILE: and what is wrong; FILE is the model, or a fourth argument.
broken() {
  expect "$1" 2 "$2" "$program" check "$3" --data stopping.json
  [ "$(wc -l <err.txt)" -le $most ] || wrong "more than 20 lines of the compiler"
  tail -1 err.txt | grep -Eq "^manychain: ${4:-$3}(:[0-9]+)?: .*$5" || wrong "no last line"
}

# The example.
expect new 0 'manychain sample stopping.hpp --data stopping.json' "$program" new stopping
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

# Headers that are no models, or have too many.
touch empty.hpp
refuse empty 'empty.hpp has no model' sample empty.hpp
{
  echo '#include "manychain/model.hpp"'
  echo 'namespace a { namespace { template <class T> struct One { double log_density(); }; } struct X { double value(); }; }'
  echo 'namespace b::c { template <class T, int n = 0> class Two final : public a::X { public: void log_density(); };'
  echo '/* struct Three { void log_density(); }; */ template <> class Two<float, 2> { void log_density(); };'
  echo 'template <class T> struct Four { int f() { struct Five { void log_density(); }; return log_density(1); } '
  echo '  enum class E { draw }; const char* s = "struct Six { void log_density(); };"; int log_density(int); }; }'
} >many.hpp
refuse ambiguous 'many.hpp has 3 models, a::One, b::c::Two, b::c::Four: choose one with --class' sample many.hpp
refuse ambiguous_class 'there is no class One::Two in many.hpp; .*a::One, a::X, b::c::Two, b::c::Four$' \
  check many.hpp --class One::Two
echo 'struct Half { int log_density(' >syntax.hpp
broken syntax "$cut_short" syntax.hpp syntax.hpp "$unexpected"
echo '#include "no_such.hpp"' >missing.hpp
no_such="no_such.hpp(: No such file|' file not found)"
broken missing_include "$no_such" missing.hpp missing.hpp "$no_such"
sed 's/target.derived/if (alpha > 0) target += -beta;\n    &/' stopping.hpp >branch.hpp
line=$(grep -n 'if (alpha' branch.hpp | cut -d: -f1)
broken branch "^manychain: branch.hpp:$line: no comparison of parameters.*select" branch.hpp
sed 's/MANYCHAIN_HD//' stopping.hpp >unmarked.hpp
broken unmarked '^manychain: unmarked.hpp:[0-9]+: log_density lacks MANYCHAIN_HD' unmarked.hpp
sed 's/template <class Number>$/ /; s/<const Number>/<const double>/g; s/<Number>/<double>/' stopping.hpp >plain.hpp
broken no_template '^manychain: plain.hpp:[0-9]+: a model is a class template' plain.hpp

# Slips: the last line has the line of the header and says what to write.
# slip NAME SED-COMMAND PATTERN: of the example with that change, at the line that the change made.
slip() {
  sed "$2" stopping.hpp >slip.hpp
  line=$(diff stopping.hpp slip.hpp | sed -n '1s/[acd,].*//p')
  broken "$1" "^manychain: slip.hpp:$line: $3" slip.hpp
}
slip misspelt 's/normal(beta, 0/nromal(beta, 0/' 'there is no nromal: did you mean normal[(]x, mu, sigma[)][?]$'
slip too_few 's/normal(beta, 0, 10)/normal(beta, 10)/' '2 arguments are given here: write normal[(]x, mu, sigma[)]$'
slip stan_bar 's/normal(beta, 0, 10)/normal_lpdf(beta | 0, 10)/' 'write normal[(]beta, 0, 10[)]: '
slip stan_tilde 's/target += normal(beta, 0, 10)/beta ~ normal(0, 10)/' 'write target [+]= normal[(]beta, 0, 10[)]; '
slip no_namespace 's/manychain::lower(1)/lower(1)/' 'write manychain::lower'
slip member 's/target.real("beta")/target.rael("beta")/' 'the target has no rael: did you mean target.real'
slip reading 's/speed, N, /speed, /' '.*'
slip no_const 's/(Target& target) const/(Target\& target)/' 'log_density must be a public const member'
slip comma_index 's/speed\[i\]/speed[i, 1]/' 'elements of a matrix are X.i..j.'
# In a locale of another language the compiler's words are read all the same.
sed 's/normal(beta, 0/nromal(beta, 0/' stopping.hpp >slip.hpp
expect locale 2 'did you mean normal' env LC_ALL=de_DE.UTF-8 LANGUAGE=de "$program" check slip.hpp --data stopping.json

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
small="--chains 64 --warmup 100 --draws 50 --seed 1 --backend cpu --threads 1"
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
# An observe() of another name is noted, and is no mistake.
sed 's/target.observe("distance"/target.observe("distence"/' stopping.hpp >noted.hpp
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
expect built_sampler 2 'stopping was not compiled for sampler mala: .*or --sampler mala to manychain build$' \
  ./prog sample --data stopping.json --sampler mala --output none
expect built_other 2 'this program has a model of its own, stopping' ./prog sample other.hpp
expect built_twice 0 '^Built prog ' "$program" build stopping.hpp -o prog --no-cuda --precision single
kept

# Two runs at once that both link the program; a cache that cannot be written to; one from which nothing may be started.
find "$MANYCHAIN_CACHE" -type f ! -name '*.o' -exec rm {} +
# shellcheck disable=SC2086
{
  "$program" sample stopping.hpp --data stopping.json $small --output one.nc >one.txt 2>&1 &
  one=$!
  "$program" sample stopping.hpp --data stopping.json $small --output two.nc >two.txt 2>&1
  two=$?
  wait $one
}
one=$?
name=two_at_once
cat one.txt >out.txt
cat two.txt >err.txt
[ "$one$two" = 00 ] || wrong "exit status $one and $two"
ls -d "$MANYCHAIN_CACHE"/work.* 2>/dev/null && wrong "a workshop was left"
touch no_folder
expect cache_unwritable 2 'no_folder/cache: compiled models cannot be kept there' \
  "$program" check plain.hpp --cache no_folder/cache
expect cache_unwritable_data 2 'none.json: cannot be read' "$program" check stopping.hpp --cache no_folder/cache --data none.json

# A file that the header includes counts; its namespace, the class beside it, a fixed size, several samplers and the
# names of folders do no harm.
mkdir 'my models'
sed 's/^template <class Number>/namespace mine {\ntemplate <class T> struct Scale { T value() const { return PRIOR_SCALE; } };\ntemplate <class Number, int n = manychain::dynamic>/
     s/Size<>/Size<n>/; s/View<const Number> speed/View<const Number, n> speed/
     s/normal(alpha, 40, 30)/normal(alpha, 40, PRIOR_SCALE)/; s,"manychain/model.hpp",&\n#include "prior scale.hpp",' \
  stopping.hpp >"my models/second one.hpp"
echo '}' >>"my models/second one.hpp"
echo '#define PRIOR_SCALE 1e-3' >'my models/prior scale.hpp'
expect second 0 '^Built my models/prog ' "$program" build 'my models/second one.hpp' -o 'my models/prog' \
  --precision single --size 50 --sampler hmc,hmc+gibbs,hmc
[ "$cuda" != 1 ] || grep -q 'for the CPU and CUDA [0-9]' err.txt || wrong "it was built without CUDA"
nm -C 'my models/prog' | grep -q 'mine::Stopping<float, 50>' || wrong "it has no fixed size"
expect second_sample 0 '^alpha +(39.9|40.0)' './my models/prog' sample --data stopping.json --chains 64 --seed 1 --backend cpu --output none
expect unsuited 2 'sampler hmc.gibbs needs .*, which model second_one does not give: take --sampler hmc' \
  './my models/prog' sample --data stopping.json --sampler hmc+gibbs --output none
echo 'static constexpr int none = ;' >'my models/prior scale.hpp'
broken included_file '^manychain: my models/prior scale.hpp:1:' 'my models/second one.hpp' 'my models/prior scale.hpp'

# The compiler is missing, or the file that names it.
mkdir -p bin share/manychain
cp "$program" bin/manychain
share=$(dirname "$(dirname "$program")")/share/manychain
expect toolchain_missing 2 'share/manychain/toolchain.txt: cannot be read' bin/manychain check stopping.hpp
sed 's,^compiler .*,compiler /no/such/c++,' "$share/toolchain.txt" >share/manychain/toolchain.txt
cp "$share/link.txt" "$share/headers.txt" share/manychain/
expect compiler_missing 2 '^manychain: /no/such/c.. cannot be started: No such file.*models are compiled by it$' \
  bin/manychain check stopping.hpp
[ "$(wc -l <err.txt)" -eq 1 ] || wrong "a refusal is one line"

# Nothing is compiled by headers that the libraries were not compiled with. The same header with another time is the same.
mkdir -p include/manychain
: >include/manychain/header.hpp
empty=d228cb69101a8cafaab9e0195e5098d0 # the digest of an empty file
echo "header $empty manychain/header.hpp" >>share/manychain/headers.txt
echo "include $folder/include" >>share/manychain/toolchain.txt
touch -d '1 hour' include/manychain/header.hpp
expect headers_same 2 '^manychain: /no/such/c.. cannot be started' bin/manychain check stopping.hpp
echo >include/manychain/header.hpp
for name in headers_changed header_gone; do
  expect $name 2 '^manychain: manychain was built from other headers: manychain/header.hpp has changed since, .*build it again: cmake --build .* --target manychain_cli$' \
    bin/manychain check stopping.hpp
  [ "$(wc -l <err.txt)" -eq 1 ] || wrong "a refusal is one line"
  rm -f include/manychain/header.hpp
done
expect header_gone_build 2 'was built from other headers' bin/manychain build stopping.hpp -o built
: >include/manychain/header.hpp

# Precompiled headers are taken until one that went into them has changed.
if [ "$precompiled" = ON ]; then
  touch -d '1 hour ago' include/manychain/header.hpp
  sed "s,^precompiled_check .*,precompiled_check $folder/share/check.hpp," "$share/toolchain.txt" >share/manychain/toolchain.txt
  echo "include $folder/include" >>share/manychain/toolchain.txt
  echo '#error what is precompiled is taken' >share/check.hpp
  : >share/check.hpp.gch # GCC passes it by, and reads the other
  echo $empty >share/check.hpp.gch.digest
  expect precompiled 2 'what is precompiled is taken' bin/manychain check stopping.hpp --data stopping.json
  # One that is damaged is not taken: the model compiles, by the unit that looks at the data first.
  echo damaged >share/check.hpp.gch
  expect precompiled_damaged 2 '^manychain: less.json: variable does not exist: distance' \
    bin/manychain check stopping.hpp --data less.json
  : >share/check.hpp.gch
  touch -d '1 hour' include/manychain/header.hpp
  expect precompiled_before 0 '^Right: ' bin/manychain check stopping.hpp --data stopping.json
fi

if [ $failures -ne 0 ]; then
  echo "$failures failures"
  exit 1
fi
