// eight_schools-eight_schools_centered. The density of posteriordb's program (BSD-3-Clause).
data {
  int<lower=1> J;
  vector[J] y;
  vector<lower=0>[J] sigma;
}
parameters {
  vector[J] theta;
  real mu;
  real<lower=0> tau;
}
model {
  tau ~ cauchy(0, 5);
  mu ~ normal(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, sigma);
}
