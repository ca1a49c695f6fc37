// earnings-logearn_height. The density of posteriordb's program (BSD-3-Clause).
data {
  int<lower=1> N;
  vector[N] earn;
  vector[N] height;
}
transformed data {
  vector[N] log_earn = log(earn);
}
parameters {
  vector[2] beta;
  real<lower=0> sigma;
}
model {
  log_earn ~ normal(beta[1] + beta[2] * height, sigma);
}
