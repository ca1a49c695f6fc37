#!/bin/sh
# Headers that are no models, and models that do not compile: the last line says what to write.
#
#   own_model_slips.sh PROGRAM FOLDER CUDA PRECOMPILED      as own_model_functions.sh says
# shellcheck source=tests/cli/own_model_functions.sh
. "$(dirname "$0")/own_model_functions.sh"

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
slip too_few 's/normal(beta, 0, 10)/normal(beta, 10)/' '2 arguments are given here: write normal[(]x, mu, sigma[)]$'
slip stan_tilde 's/target += normal(beta, 0, 10)/beta ~ normal(0, 10)/' 'write target [+]= normal[(]beta, 0, 10[)]; '
slip no_namespace 's/manychain::lower(1)/lower(1)/' 'write manychain::lower'
slip member 's/target.real("beta")/target.rael("beta")/' 'the target has no rael: did you mean target.real'
slip reading 's/speed, N, /speed, /' '.*'
slip no_const 's/(Target& target) const/(Target\& target)/' 'log_density must be a public const member'
slip comma_index 's/speed\[i\]/speed[i, 1]/' 'elements of a matrix are X.i..j.'
sed 's/void log_density/double log_density/' stopping.hpp >no_return.hpp  # the compiler names the end of the function
broken no_return '^manychain: no_return.hpp:[0-9]+: this function returns nothing: write void before its name' no_return.hpp
# In a locale of another language the compiler's words are read all the same.
sed 's/normal(beta, 0/nromal(beta, 0/' stopping.hpp >slip.hpp
expect locale 2 'did you mean normal' env LC_ALL=de_DE.UTF-8 LANGUAGE=de "$program" check slip.hpp --data stopping.json

finish
