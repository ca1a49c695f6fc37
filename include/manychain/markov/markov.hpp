// Finite Markov chains, and some that are not: everything of this module.
#pragma once

#include "manychain/markov/birth_death.hpp"
#include "manychain/markov/higher_order.hpp"
#include "manychain/markov/inhomogeneous.hpp"
#include "manychain/markov/kernels.hpp"
#include "manychain/markov/language_model.hpp"
#include "manychain/markov/matrix.hpp"
#include "manychain/markov/mixing.hpp"
#include "manychain/markov/simulate.hpp"
#include "manychain/markov/stationary.hpp"
#include "manychain/markov/structure.hpp"
#include "manychain/markov/transition_matrix.hpp"
