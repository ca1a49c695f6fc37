// Two posteriors of examples/posteriors as one would write them by hand, with simulated data: a recurrence, and
// thousands of terms that choose their parameters.
#pragma once

#include <cmath>
#include <cstdint>

#include "manychain/model/language/variants.hpp"
#include "posteriors/garch.hpp"
#include "posteriors/item_response.hpp"

namespace manychain::bench {

/// Sensitivities of the variance towards the four parameters go along with t: nothing is stored.
template <class Number>
struct HandGarch : Garch<Number> {
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("q", Size<4>{});
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD Compensated<R> value_and_gradient(const Q& q, G& g) const {
    Compensated<R> lp;
    const R mu = q[0], a0 = exp(q[1]), a1 = inv_logit(q[2]), room = R(1) - a1, part = inv_logit(q[3]);
    const R b1 = room * part;
    lp.add(q[1] + log(a1 * room) + log(room * part * (R(1) - part)));
    R h = R(this->sigma1 * this->sigma1), by_mu = R(0), by_a0 = R(0), by_a1 = R(0), by_b1 = R(0);
    R g_mu = R(0), g_a0 = R(0), g_a1 = R(0), g_b1 = R(0);
    const int n = this->T.value();
    for (int t = 0; t < n; ++t) {
      if (t > 0) {
        const R before = R(this->y[t - 1]) - mu, squared = before * before;
        by_mu = fma(b1, by_mu, R(-2) * a1 * before);
        by_a0 = fma(b1, by_a0, R(1));
        by_a1 = fma(b1, by_a1, squared);
        by_b1 = fma(b1, by_b1, h);
        h = fma(b1, h, fma(a1, squared, a0));
      }
      const R r = R(this->y[t]) - mu, inverse = R(1) / h, z = r * inverse;
      lp.add(R(-0.5) * fma(r, z, log(h)) - R(half_log_two_pi));
      if (t % 64 == 63) lp.renormalise();
      const R slope = R(0.5) * fma(z, z, -inverse);
      g_mu += fma(slope, by_mu, z);
      g_a0 = fma(slope, by_a0, g_a0);
      g_a1 = fma(slope, by_a1, g_a1);
      g_b1 = fma(slope, by_b1, g_b1);
    }
    g[0] = g_mu;
    g[1] = fma(g_a0, a0, R(1));
    g[2] = fma(g_a1 - part * g_b1, a1 * room, room - a1 - a1);  // log(a1 room) + log(room)
    g[3] = fma(g_b1 * room, part * (R(1) - part), R(1) - part - part);
    return lp;
  }
};

template <class Number>
struct HandItemResponse : ItemResponse<Number> {
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("q", 1 + this->students.value() + this->questions.value());
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD Compensated<R> value_and_gradient(const Q& q, G& g) const {
    Compensated<R> lp;
    const int first = this->students.value(), all = first + this->questions.value(), n = this->N.value();
    const R mean = q[0], from = mean - R(0.75);
    lp.add(R(-0.5) * from * from - R(half_log_two_pi));
    R g_mean = -from;
    for (int i = 1; i <= all; ++i) {
      lp.add(R(-0.5) * q[i] * q[i] - R(half_log_two_pi));
      if (i % 64 == 63) lp.renormalise();
      g[i] = -q[i];
    }
    for (int i = 0; i < n; ++i) {
      const int s = this->student[i], k = first + this->question[i];
      const R eta = mean + q[s] - q[k], e = exp(-abs(eta)), inverse = R(1) / (R(1) + e);
      const R surplus = R(this->correct[i]) - select(eta < R(0), R(0), R(1));
      const R rest = e * inverse, slope = surplus - select(eta < R(0), rest, -rest);
      lp.add(fma(surplus, eta, -log1p(e)));
      if (i % 64 == 63) lp.renormalise();
      g_mean += slope;
      g[s] += slope;
      g[k] -= slope;
    }
    g[0] = g_mean;
    return lp;
  }
};

/// 200 steps of a GARCH(1, 1).
inline Data garch_data() {
  std::vector<double> y;
  double h = 0.25, z = 0.3;
  for (int t = 0; t < 200; ++t) {
    z = std::sin(12.9898 * (t + 1) + 78.233 * z) * 1.7;  // as good as noise here
    y.push_back(0.2 + std::sqrt(h) * z);
    h = 0.1 + 0.2 * (y.back() - 0.2) * (y.back() - 0.2) + 0.6 * h;
  }
  Data data;
  data.set("T", 200);
  data.set("sigma1", 0.5);
  data.set("y", y);
  return data;
}

/// 400 students, 100 questions, three of four answered: as many as in inference_gym's set.
inline Data item_response_data() {
  std::vector<double> student, question, correct;
  std::uint32_t state = 1;
  for (int s = 1; s <= 400; ++s)
    for (int k = 1; k <= 100; ++k) {
      state = 1664525u * state + 1013904223u;
      if ((state >> 16) % 4 == 0) continue;
      student.push_back(s);
      question.push_back(k);
      correct.push_back((state >> 20) % 3 != 0);
    }
  Data data;
  data.set("N", static_cast<double>(student.size()));
  data.set("students", 400);
  data.set("questions", 100);
  data.set("student", student);
  data.set("question", question);
  data.set("correct", correct);
  return data;
}

}  // namespace manychain::bench
