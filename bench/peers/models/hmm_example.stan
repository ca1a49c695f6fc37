// hmm_example-hmm_example. The density of posteriordb's program (BSD-3-Clause).
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] real y;
}
parameters {
  simplex[K] theta1;
  simplex[K] theta2;
  positive_ordered[K] mu;
}
model {
  array[K] vector[K] log_theta_tr;
  vector[K] lp;
  vector[K] lp_p1;
  mu[1] ~ normal(3, 1);
  mu[2] ~ normal(10, 1);
  for (k in 1 : K) {
    log_theta_tr[k, 1] = log(theta1[k]);
    log_theta_tr[k, 2] = log(theta2[k]);
  }
  // log_theta_tr[k, j]: to state k from state j
  for (k in 1 : K) lp[k] = normal_lpdf(y[1] | mu[k], 1);
  for (n in 2 : N) {
    for (k in 1 : K) lp_p1[k] = log_sum_exp(log_theta_tr[k] + lp) + normal_lpdf(y[n] | mu[k], 1);
    lp = lp_p1;
  }
  target += log_sum_exp(lp);
}
