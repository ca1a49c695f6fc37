"""Samplers of many chains in JAX. Each takes a model and sizes, and returns a function of a seed that returns draws as
an array of chains, draws, components, in single precision. What it compiles, it compiles in its first call."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

RADIUS = 2.0  # starts are uniform between minus that and that, as those of manychain


def starts(key, *shape):
    return jax.random.uniform(key, shape, minval=-RADIUS, maxval=RADIUS)


def draws_first(run):
    """Of a run that returns draws, chains, components."""
    compiled = jax.jit(run)
    return lambda seed: np.swapaxes(np.asarray(compiled(jax.random.key(seed))), 0, 1)


def tfp_chees(model, chains, warmup, draws):
    """ChEES-HMC of TensorFlow Probability, put together as in its documentation."""
    from tensorflow_probability.substrates import jax as tfp

    def log_density(x):
        return model.log_density(x.T)

    def run(key):
        first, second = jax.random.split(key)
        adapting = int(0.8 * warmup)
        kernel = tfp.mcmc.HamiltonianMonteCarlo(log_density, step_size=0.1, num_leapfrog_steps=1)
        kernel = tfp.experimental.mcmc.GradientBasedTrajectoryLengthAdaptation(kernel, num_adaptation_steps=adapting)
        kernel = tfp.mcmc.DualAveragingStepSizeAdaptation(
            kernel, num_adaptation_steps=adapting, reduce_fn=tfp.math.reduce_log_harmonic_mean_exp
        )
        return tfp.mcmc.sample_chain(
            num_results=draws,
            num_burnin_steps=warmup,
            current_state=starts(first, chains, model.dimension),
            kernel=kernel,
            trace_fn=None,
            seed=second,
        )

    return draws_first(run)


def tfp_snaper(model, chains, warmup, draws):
    """SNAPER-HMC of TensorFlow Probability, by its own function."""
    from tensorflow_probability.substrates import jax as tfp

    def log_density(x):
        return model.log_density(x.T)

    def run(key):
        first, second = jax.random.split(key)
        result = tfp.experimental.mcmc.sample_snaper_hmc(
            log_density,
            num_results=draws,
            num_burnin_steps=warmup,
            num_chains=chains,
            init_state=starts(first, chains, model.dimension),
            event_space_bijector=tfp.bijectors.Identity(),
            event_dtype=jnp.float32,
            event_shape=(model.dimension,),
            trace_fn=lambda state, *rest, **named: state,
            seed=second,
        )
        return result.trace

    return draws_first(run)


def blackjax_run(kernel, states, key, chains, draws):
    def transition(states, key):
        states, _ = jax.vmap(kernel)(jax.random.split(key, chains), states)
        return states, states.position

    return jax.lax.scan(transition, states, jax.random.split(key, draws))[1]


def blackjax_chees(model, chains, warmup, draws):
    """ChEES-HMC of BlackJAX; Adam as in the paper of ChEES, but faster: at its 0.025 warm-up ends too early."""
    import blackjax
    import optax
    from blackjax.adaptation.base import get_filter_adapt_info_fn

    def run(key):
        first, second, third = jax.random.split(key, 3)
        adaptation = blackjax.chees_adaptation(
            model.log_density, chains, adaptation_info_fn=get_filter_adapt_info_fn()
        )
        optimiser = optax.adam(0.1, b1=0.0, b2=0.95)
        (states, found), _ = adaptation.run(second, starts(first, chains, model.dimension), 0.1, optimiser, warmup)
        return blackjax_run(blackjax.dynamic_hmc(model.log_density, **found).step, states, third, chains, draws)

    return draws_first(run)


def blackjax_meads(model, chains, warmup, draws):
    """MEADS of BlackJAX."""
    import blackjax
    from blackjax.adaptation.base import get_filter_adapt_info_fn

    def run(key):
        first, second, third = jax.random.split(key, 3)
        adaptation = blackjax.meads_adaptation(
            model.log_density, chains, adaptation_info_fn=get_filter_adapt_info_fn()
        )
        (states, found), _ = adaptation.run(second, starts(first, chains, model.dimension), warmup)
        return blackjax_run(blackjax.ghmc(model.log_density, **found).step, states, third, chains, draws)

    return draws_first(run)


def blackjax_nuts(model, chains, warmup, draws):
    """NUTS of BlackJAX; each chain has a window adaptation of its own, as that of Stan."""
    import blackjax
    from blackjax.adaptation.base import get_filter_adapt_info_fn

    def chain(key, start):
        first, second = jax.random.split(key)
        adaptation = blackjax.window_adaptation(
            blackjax.nuts, model.log_density, adaptation_info_fn=get_filter_adapt_info_fn()
        )
        (state, found), _ = adaptation.run(first, start, warmup)
        kernel = blackjax.nuts(model.log_density, **found).step

        def transition(state, key):
            state, _ = kernel(key, state)
            return state, state.position

        return jax.lax.scan(transition, state, jax.random.split(second, draws))[1]

    @jax.jit
    def run(key):
        first, second = jax.random.split(key)
        return jax.vmap(chain)(jax.random.split(second, chains), starts(first, chains, model.dimension))

    return lambda seed: np.asarray(run(jax.random.key(seed)))


def numpyro_nuts(model, chains, warmup, draws):
    """NUTS of NumPyro, its chains vectorised."""
    from numpyro.infer import MCMC, NUTS

    kernel = NUTS(potential_fn=lambda x: -model.log_density(x))
    mcmc = MCMC(
        kernel, num_warmup=warmup, num_samples=draws, num_chains=chains, chain_method="vectorized", progress_bar=False
    )

    def run(seed):
        first, second = jax.random.split(jax.random.key(seed))
        mcmc.run(second, init_params=starts(first, chains, model.dimension))
        return np.asarray(mcmc.get_samples(group_by_chain=True))

    return run


def manychain_by_jax(model, chains, warmup, draws, precision="auto"):
    """The Python package of manychain (PYTHONPATH): JAX computes the density at all chains in one call."""
    import manychain

    density = manychain.from_jax(model.log_density, model.dimension)

    def run(seed):
        settings = {"chains": chains, "warmup": warmup, "draws": draws, "seed": seed, "progress": False, "precision": precision}
        return np.array(manychain.sample(density, **settings)["q"])

    return run


def van_der_corput(n):
    """The Halton sequence of base two: a fraction of each trajectory."""
    bits = jnp.arange(16)
    return jnp.sum(((n >> bits) & 1) * 0.5 ** (bits + 1))


def jax_by_hand(model, chains, warmup, draws):
    """ChEES-HMC written out in JAX: chains in the last axis, one step size, scales and length of trajectory for all."""
    dimension = model.dimension
    value = model.log_density
    slope = jax.grad(lambda x: jnp.sum(value(x)))  # XLA drops the value
    adapting = max(int(0.8 * warmup), 1)

    def leap(x, p, g, scale, step, count):
        def body(_, carry):
            x, p, g = carry
            p = p + 0.5 * step * scale * g
            x = x + step * scale * p
            g = slope(x)
            return x, p + 0.5 * step * scale * g, g

        return jax.lax.fori_loop(0, count, body, (x, p, g))

    def transition(key, x, g, logp, scale, step, length, n):
        """Momenta are of unit scale: positions are stretched by scale."""
        first, second = jax.random.split(key)
        p = jax.random.normal(first, (dimension, chains))
        fraction = van_der_corput(n)
        count = jnp.clip(jnp.ceil(2 * fraction * length / step), 1, 1000).astype(int)
        y, q, h = leap(x, p, g, scale, step, count)
        logp_y = value(y)
        energy = logp_y - logp + 0.5 * (jnp.sum(p * p, 0) - jnp.sum(q * q, 0))
        probability = jnp.where(jnp.isfinite(energy), jnp.exp(jnp.minimum(energy, 0)), 0)
        taken = jax.random.uniform(second, (chains,)) < probability
        moved = tuple(jnp.where(taken, a, b) for a, b in ((y, x), (h, g), (logp_y, logp)))
        return moved, (y, q, probability, fraction)

    def warm(carry, inputs):
        (x, g, logp), tuned, moments = carry
        key, n = inputs
        log_step, log_mean_step, error, log_length, log_mean_length, squares = tuned
        scale, mean, square = moments
        active = n < adapting
        step = jnp.where(active, jnp.exp(log_step), jnp.exp(log_mean_step))
        length = jnp.exp(jnp.where(active, log_length, log_mean_length))
        old = x
        (x, g, logp), (y, q, probability, fraction) = transition(key, x, g, logp, scale, step, length, n)

        # Step size: dual averaging of the harmonic mean of the probabilities, asked to be 0.65.
        t = n + 1.0
        error = error + 0.65 - 1 / jnp.mean(1 / jnp.maximum(probability, 1e-20))
        new_log_step = jnp.log(0.1) + jnp.log(10.0) - jnp.sqrt(t) / 0.05 * error / (t + 10)
        weight = t**-0.75
        new_mean_step = weight * new_log_step + (1 - weight) * log_mean_step

        # Length of trajectory: Adam on the derivative of ChEES, with coordinates of unit scale.
        ok = jnp.isfinite(jnp.sum(y, 0)) & (probability > 0)
        a = jnp.where(ok, (y - old.mean(1, keepdims=True)) / scale, 0)
        b = (old - old.mean(1, keepdims=True)) / scale
        change = jnp.sum(a * a, 0) - jnp.sum(b * b, 0)
        gradient = jnp.where(ok, probability * change * jnp.sum(a * jnp.where(ok, q, 0), 0), 0)
        gradient = fraction * length * jnp.sum(gradient) / (jnp.sum(probability) + 1e-20)
        squares = 0.95 * squares + 0.05 * gradient**2
        corrected = squares / (1 - 0.95**t)
        new_log_length = jnp.clip(
            log_length + 0.025 * gradient / (jnp.sqrt(corrected) + 1e-20), jnp.log(step), jnp.log(500 * step)
        )
        new_mean_length = weight * new_log_length + (1 - weight) * log_mean_length

        # Scales: standard deviations over the chains, averaged over recent transitions.
        rate = 1 / jnp.minimum(t, 20.0)
        mean = mean + rate * (x.mean(1, keepdims=True) - mean)
        square = square + rate * ((x * x).mean(1, keepdims=True) - square)
        new_scale = jnp.sqrt(jnp.maximum(square - mean * mean, 1e-12))

        def update(new, now):
            return jnp.where(active, new, now)

        tuned = (
            update(new_log_step, log_step),
            update(new_mean_step, log_mean_step),
            error,
            update(new_log_length, log_length),
            update(new_mean_length, log_mean_length),
            squares,
        )
        return ((x, g, logp), tuned, (update(new_scale, scale), mean, square)), None

    @jax.jit
    def run(key):
        first, second, third = jax.random.split(key, 3)
        x = starts(first, dimension, chains)
        zero = jnp.float32(0)
        initial = jnp.log(jnp.float32(0.1))
        tuned = (initial, initial, zero, initial, initial, zero)
        column = jnp.zeros((dimension, 1))
        carry = ((x, slope(x), value(x)), tuned, (column + 1, column, column + 1))
        numbers = jnp.arange(warmup + draws)
        carry, _ = jax.lax.scan(warm, carry, (jax.random.split(second, warmup), numbers[:warmup]))
        state, (_, log_step, _, _, log_length, _), (scale, _, _) = carry

        def transitions(state, inputs):
            key, n = inputs
            state, _ = transition(key, *state, scale, jnp.exp(log_step), jnp.exp(log_length), n)
            return state, state[0]

        return jax.lax.scan(transitions, state, (jax.random.split(third, draws), numbers[warmup:]))[1]

    return lambda seed: np.asarray(run(jax.random.key(seed))).transpose(2, 0, 1)


SAMPLERS = {
    "jax_by_hand": jax_by_hand,
    "tfp_chees": tfp_chees,
    "tfp_snaper": tfp_snaper,
    "blackjax_chees": blackjax_chees,
    "blackjax_meads": blackjax_meads,
    "blackjax_nuts": blackjax_nuts,
    "numpyro_nuts": numpyro_nuts,
    "manychain_by_jax": manychain_by_jax,
    "manychain_by_jax_double": functools.partial(manychain_by_jax, precision="double"),
}
