#!/bin/sh
# Caches, included files, and a compiler or headers that are not those of the program: of models of one's own. Compiles two.
#
#   own_model_further.sh PROGRAM FOLDER CUDA PRECOMPILED      as own_model_functions.sh says
# shellcheck source=tests/cli/own_model_functions.sh
. "$(dirname "$0")/own_model_functions.sh"

sed 's/template <class Number>$/ /; s/<const Number>/<const double>/g; s/<Number>/<double>/' stopping.hpp >plain.hpp
echo '{"N": 2, "typical_speed": 15, "speed": [1, 2]}' >less.json

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

finish
