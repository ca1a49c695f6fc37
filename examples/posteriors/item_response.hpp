// synthetic_item_response_theory: students of unknown ability answer questions of unknown difficulty.
#pragma once

#include "manychain/model.hpp"

/// correct ~ Bernoulli(inv_logit(ability - difficulty + mean)); mean ~ N(0.75, 1), the others ~ N(0, 1). Students and
/// questions count from 1.
template <class Number>
struct ItemResponse {
  manychain::Size<> N, students, questions;
  manychain::View<const int> student, question, correct;

  void data(manychain::DataReader& in) {
    in("N", N, manychain::lower(1));
    in("students", students, manychain::lower(1));
    in("questions", questions, manychain::lower(1));
    in("student", student, N, manychain::integer(1, students));
    in("question", question, N, manychain::integer(1, questions));
    in("correct", correct, N, manychain::integer(0, 1));
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mean = target.real("mean_student_ability");
    auto ability = target.vector("centered_student_ability", students);
    auto difficulty = target.vector("question_difficulty", questions);
    target += normal(mean, 0.75, 1);
    target += normal(ability, 0, 1);
    target += normal(difficulty, 0, 1);
    target.observe("correct", N, [&](auto i, auto& term) {
      term += bernoulli_logit(correct[i], ability[student[i] - 1] - difficulty[question[i] - 1] + mean);
    });
  }
};
