// The acceptance of a random walk on independent standard normals.
#pragma once

namespace manychain::gallery {

/// The mean acceptance probability of proposals x + s z, x and z standard normal in `dimension` dimensions. Given z the
/// log ratio is normal with mean -a / 2 and variance a = s^2 |z|^2, so that E min(1, exp) = 2 Phi(-sqrt(a) / 2)
/// (Roberts, Gelman and Gilks 1997); the mean over |z|, by midpoints, whose
/// error is below 1e-8.
double walk_acceptance(int dimension, double step);

}  // namespace manychain::gallery
