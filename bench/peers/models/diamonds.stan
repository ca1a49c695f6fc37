// diamonds-diamonds. The density of posteriordb's program (BSD-3-Clause), which brms wrote.
data {
  int<lower=1> N;
  vector[N] Y;
  int<lower=1> K;
  matrix[N, K] X;
}
transformed data {
  int Kc = K - 1;
  matrix[N, Kc] Xc;
  for (k in 2 : K) Xc[ : , k - 1] = X[ : , k] - mean(X[ : , k]);
}
parameters {
  vector[Kc] b;
  real Intercept;
  real<lower=0> sigma;
}
model {
  b ~ normal(0, 1);
  Intercept ~ student_t(3, 8, 10);
  sigma ~ student_t(3, 0, 10);
  Y ~ normal_id_glm(Xc, Intercept, b, sigma);
}
