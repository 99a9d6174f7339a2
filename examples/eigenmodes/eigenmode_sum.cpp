// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Streams a set of modes and computes the truncated eigenmode sum of each time slice, the pseudoscalar loop
//   L(t) = sum over modes of |v(x)|^2 / eigenvalue, x in time slice t,
// which approximates the trace of the inverse of Q on that slice by these modes.
//
//   mpirun -n 2 eigenmode_sum CONFIGURATION SET [--ahead|--behind] [--check]
//
// --behind  reads a vector when it is needed; --ahead (the default) reads the next vector during the computation
// --check   inverts Q on a random source, and compares the part of the solution in the space of the modes with
//           the sum over modes of v (v, source) / eigenvalue, slice by slice
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <random>

#include "wilson.hpp"

namespace {

using namespace eigenmodes;

// Solves Q x = source by conjugate gradients for Q^2 x = Q source.
Vector invert(const Wilson& q, const Vector& source) {
  const std::size_t n = q.size();
  const auto norm = [&](const Vector& v) { return product(q.grid(), v.data(), v.data(), n).real(); };
  Vector x(n), r(n), p, half(n), image(n);
  q.apply(source.data(), r.data());
  p = r;
  double rr = norm(r);
  const double enough = 1e-24 * rr;
  for (int step = 0; rr > enough && step < 20000; ++step) {
    q.apply(p.data(), half.data());
    q.apply(half.data(), image.data());
    const double a = rr / product(q.grid(), p.data(), image.data(), n).real();
    for (std::size_t i = 0; i < n; ++i) x[i] += a * p[i];
    for (std::size_t i = 0; i < n; ++i) r[i] -= a * image[i];
    const double before = rr;
    rr = norm(r);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + rr / before * p[i];
  }
  if (rr > enough) throw std::runtime_error("conjugate gradients have not converged");
  return x;
}

struct Sums {
  Vector from_modes, from_solution;  // the part of Q^-1 source in the space of the modes, in two ways
  std::vector<double> loop;          // of each time slice of this rank
};

class Summing {
 public:
  Summing(const Wilson& q, bool checks) : q_(q), image_(q.size()) {
    sums_.loop.resize(static_cast<std::size_t>(q.slices()));
    if (!checks) return;
    std::mt19937_64 random(static_cast<unsigned>(q.grid().rank()) + 1);
    std::normal_distribution<double> normal;
    source_.resize(q.size());
    for (Number& number : source_) number = {normal(random), normal(random)};
    solution_ = invert(q, source_);
    sums_.from_modes.resize(q.size());
    sums_.from_solution.resize(q.size());
  }

  // The vector is looked at before it is used: its residual must be the one of the set.
  void add(const Vector& v, const lq::modes::Mode& mode) {
    const std::size_t n = q_.size();
    const double eigenvalue = mode.eigenvalue.real();
    q_.apply(v.data(), image_.data());
    for (std::size_t i = 0; i < n; ++i) image_[i] -= eigenvalue * v[i];
    const double residual = std::sqrt(product(q_.grid(), image_.data(), image_.data(), n).real());
    if (std::abs(residual - mode.residual.value()) > 1e-9) throw std::runtime_error("this is another vector");
    for (std::size_t i = 0; i < n; ++i) sums_.loop[i / q_.slice()] += std::norm(v[i]) / eigenvalue;
    if (source_.empty()) return;
    const Number in_source = product(q_.grid(), v.data(), source_.data(), n) / eigenvalue;
    const Number in_solution = product(q_.grid(), v.data(), solution_.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      sums_.from_modes[i] += in_source * v[i];
      sums_.from_solution[i] += in_solution * v[i];
    }
  }

  const Sums& sums() const { return sums_; }
  const Vector& solution() const { return solution_; }

 private:
  const Wilson& q_;
  Sums sums_;
  Vector image_, source_, solution_;
};

std::vector<double> of_all_slices(const Wilson& q, const std::vector<double>& mine) {
  std::vector<double> all(static_cast<std::size_t>(q.grid().extents()[3]));
  std::copy(mine.begin(), mine.end(), all.begin() + q.first_slice());
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

std::vector<double> norms(const Wilson& q, const Vector& v, const Vector& minus) {
  std::vector<double> mine(static_cast<std::size_t>(q.slices()));
  for (std::size_t i = 0; i < v.size(); ++i) mine[i / q.slice()] += std::norm(v[i] - (minus.empty() ? 0 : minus[i]));
  return of_all_slices(q, mine);
}

// Returns true if the two agree in each time slice.
bool compare(const Wilson& q, const Summing& summing) {
  const auto difference = norms(q, summing.sums().from_modes, summing.sums().from_solution);
  const auto low = norms(q, summing.sums().from_solution, {}), whole = norms(q, summing.solution(), {});
  double worst = 0, least = 1;
  for (std::size_t t = 0; t < low.size(); ++t) {
    worst = std::max(worst, std::sqrt(difference[t] / low[t]));
    least = std::min(least, std::sqrt(low[t] / whole[t]));
  }
  if (q.grid().is_root()) {
    std::printf(
        "check: the sum over modes differs from the direct inversion by %.1e at most in a time slice; the modes "
        "hold %.0f %% of the solution or more\n",
        worst, 100 * least);
  }
  return worst < 1e-5;
}

double largest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

bool run(const std::string& configuration, const std::string& path, bool ahead, bool checks) {
  const lq::Communicator ranks = lq::mpi::communicator();
  const double start = MPI_Wtime();
  const lq::modes::Set set(path, ranks);
  const double opened = MPI_Wtime() - start;
  const lq::Grid grid(ranks, set.description().sites(), {.processes = lq::Extents{1, 1, 1, ranks.size()}});
  const Wilson q(grid, configuration, std::get<double>(set.description().parameters.at(0).value));
  Summing summing(q, checks);

  Vector one(q.size()), other(q.size());
  double waited = 0, computed = 0;
  const auto use = [&](std::uint64_t k, const Vector& v, double arrived) {
    summing.add(v, set.mode(k));
    computed += MPI_Wtime() - arrived;
  };
  double since = MPI_Wtime();
  if (ahead) {
    lq::ReadAhead modes = set.read_ahead(0, set.size(), grid, {lq::spinor(one), lq::spinor(other)});
    while (const auto mode = modes.next()) {
      const double arrived = MPI_Wtime();
      waited += arrived - since;
      use(mode->index, mode->buffer == 0 ? one : other, arrived);
      since = MPI_Wtime();
    }
  } else {
    for (std::uint64_t k = 0; k < set.size(); ++k) {
      set.read(k, grid, lq::spinor(one));
      const double arrived = MPI_Wtime();
      waited += arrived - since;
      use(k, one, arrived);
      since = MPI_Wtime();
    }
  }
  waited = largest(waited);
  computed = largest(computed);
  const auto loop = of_all_slices(q, summing.sums().loop);
  if (grid.is_root()) {
    for (std::size_t t = 0; t < loop.size(); ++t) std::printf("L(%zu) = %.10g\n", t, loop[t]);
    const double bytes = static_cast<double>(set.size() * set.file().catalog().fields.front().payload.length);
    std::printf("%s: opened in %.2f ms; %.3f s waited for vectors, %.3f s computed; %.0f MB\n",
                ahead ? "read ahead" : "read when wanted", 1000 * opened, waited, computed, bytes / 1e6);
  }
  return !checks || compare(q, summing);
}

}  // namespace

int main(int argc, char** argv) try {
  lq::mpi::Environment mpi(argc, argv);
  bool ahead = true, checks = false;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--behind") ahead = false;
    if (word == "--check") checks = true;
  }
  if (argc < 3) {
    std::fprintf(stderr, "usage: eigenmode_sum CONFIGURATION SET [--ahead|--behind] [--check]\n");
    return 2;
  }
  return run(argv[1], argv[2], ahead, checks) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
