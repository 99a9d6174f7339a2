// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Computes low modes of the hermitian Wilson-Dirac operator Q with PARPACK, and stores them as a set of modes.
//
//   mpirun -n 2 eigenmodes CONFIGURATION KAPPA MODES SET [ALPHA]
//
// The smallest eigenvalues of Q in magnitude are the largest ones of a Chebyshev polynomial of Q^2 that is small
// between ALPHA (default 0.5) and the largest eigenvalue of Q^2.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>

#include "wilson.hpp"

// PARPACK, which brings no header.
extern "C" {
void pznaupd_(const int* comm, int* ido, const char* bmat, const int* n, const char* which, const int* nev,
              const double* tol, void* resid, const int* ncv, void* v, const int* ldv, int* iparam, int* ipntr,
              void* workd, void* workl, const int* lworkl, double* rwork, int* info, std::size_t, std::size_t);
void pzneupd_(const int* comm, const int* rvec, const char* howmny, int* select, void* d, void* z, const int* ldz,
              const void* sigma, void* workev, const char* bmat, const int* n, const char* which, const int* nev,
              const double* tol, void* resid, const int* ncv, void* v, const int* ldv, int* iparam, int* ipntr,
              void* workd, void* workl, const int* lworkl, double* rwork, int* info, std::size_t, std::size_t,
              std::size_t);
}

namespace {

using namespace eigenmodes;

// T_degree of Q^2, with [alpha, largest^2] mapped to [-1, 1].
class Filter {
 public:
  Filter(const Wilson& q, double alpha, int degree)
      : q_(q), alpha_(alpha), degree_(degree), before_(q.size()), now_(q.size()), next_(q.size()), half_(q.size()) {}

  void apply(const Number* in, Number* out) {
    std::copy(in, in + q_.size(), before_.begin());
    shifted(before_, now_);
    for (int k = 1; k < degree_; ++k) {
      shifted(now_, next_);
      for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = 2.0 * next_[i] - before_[i];
      before_.swap(now_);
      now_.swap(next_);
    }
    std::copy(now_.begin(), now_.end(), out);
  }

 private:
  void shifted(const Vector& in, Vector& out) {
    q_.apply(in.data(), half_.data());
    q_.apply(half_.data(), out.data());
    const double beta = q_.largest() * q_.largest();
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = (2.0 * out[i] - (beta + alpha_) * in[i]) / (beta - alpha_);
  }

  const Wilson& q_;
  double alpha_;
  int degree_;
  Vector before_, now_, next_, half_;
};

// `count` orthonormal vectors, stored one after another.
Vector solve(const Wilson& q, int count, double alpha) {
  const int comm = static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD)), n = static_cast<int>(q.size());
  const int all = static_cast<int>(q.grid().volume() * 12);
  const int ncv = std::min(2 * count + 20, all), lworkl = 3 * ncv * ncv + 5 * ncv;
  const double tolerance = 1e-13;
  Filter filter(q, alpha, 24);
  Vector residual(q.size()), basis(q.size() * static_cast<std::size_t>(ncv)), workd(3 * q.size());
  Vector workl(static_cast<std::size_t>(lworkl)), workev(2 * static_cast<std::size_t>(ncv));
  std::vector<double> rwork(static_cast<std::size_t>(ncv));
  int iparam[11] = {1, 0, 1000, 1, 0, 0, 1}, ipntr[14] = {};
  int ido = 0, info = 0;
  while (true) {
    pznaupd_(&comm, &ido, "I", &n, "LM", &count, &tolerance, residual.data(), &ncv, basis.data(), &n, iparam, ipntr,
             workd.data(), workl.data(), &lworkl, rwork.data(), &info, 1, 2);
    if (ido != 1 && ido != -1) break;
    filter.apply(workd.data() + ipntr[0] - 1, workd.data() + ipntr[1] - 1);
  }
  if (info != 0) throw std::runtime_error("pznaupd: info = " + std::to_string(info));
  std::vector<int> select(static_cast<std::size_t>(ncv));
  Vector values(static_cast<std::size_t>(count) + 1), vectors(q.size() * static_cast<std::size_t>(count));
  const Number sigma = 0;
  const int wants_vectors = 1;
  pzneupd_(&comm, &wants_vectors, "A", select.data(), values.data(), vectors.data(), &n, &sigma, workev.data(), "I", &n,
           "LM", &count, &tolerance, residual.data(), &ncv, basis.data(), &n, iparam, ipntr, workd.data(), workl.data(),
           &lworkl, rwork.data(), &info, 1, 1, 2);
  if (info != 0) throw std::runtime_error("pzneupd: info = " + std::to_string(info));
  return vectors;
}

// What the vector says of itself: its eigenvalue, and how far it is from being one.
lq::modes::Mode judge(const Wilson& q, const Number* vector, Vector& image) {
  q.apply(vector, image.data());
  const double eigenvalue = product(q.grid(), vector, image.data(), q.size()).real();
  for (std::size_t i = 0; i < q.size(); ++i) image[i] -= eigenvalue * vector[i];
  return {eigenvalue, std::sqrt(product(q.grid(), image.data(), image.data(), q.size()).real())};
}

void run(const std::string& configuration, double kappa, int count, const std::string& path, double alpha) {
  const lq::Communicator ranks = lq::mpi::communicator();
  const lq::Extents lattice = lq::inspect(configuration, ranks).field().payload.extents;
  const lq::Grid grid(ranks, lattice, {.processes = lq::Extents{1, 1, 1, ranks.size()}});
  const Wilson q(grid, configuration, kappa);
  const double start = MPI_Wtime();
  const Vector vectors = solve(q, count, alpha);
  const double solved = MPI_Wtime();

  Vector image(q.size());
  std::vector<lq::modes::Mode> modes;
  for (int k = 0; k < count; ++k)
    modes.push_back(judge(q, vectors.data() + static_cast<std::size_t>(k) * q.size(), image));
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto size_of = [&](int k) { return std::abs(modes[static_cast<std::size_t>(k)].eigenvalue); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return size_of(a) < size_of(b); });

  lq::modes::Description description;
  description.lattice = lattice;
  description.operator_name = "hermitian Wilson";
  description.parameters = {{"kappa", kappa},
                            {"boundary in t", std::string("antiperiodic")},
                            {"solver", std::string("PARPACK, Chebyshev polynomial of degree 24")},
                            {"alpha", alpha}};
  lq::WriteOptions options;
  options.overwrite = true;
  lq::modes::Writer set(path, grid, description, options);
  double worst = 0;
  for (const int k : order) {
    const auto place = static_cast<std::size_t>(k);
    const Number* vector = vectors.data() + place * q.size();
    set.append(lq::Field{.spec = lq::spinor_spec(lq::Precision::double_), .data = vector, .available = 2 * q.size()},
               modes[place]);
    worst = std::max(worst, modes[place].residual.value());
  }
  if (grid.is_root()) {
    std::printf(
        "%d modes of %s in %.2f s, stored in %.2f s: eigenvalues from %.6g to %.6g in size, residual below %.1e\n",
        count, to_string(lattice).c_str(), solved - start, MPI_Wtime() - solved, size_of(order.front()),
        size_of(order.back()), worst);
  }
  if (worst > 1e-6) throw std::runtime_error("the vectors have not converged: take a smaller ALPHA, or more modes");
}

}  // namespace

int main(int argc, char** argv) try {
  lq::mpi::Environment mpi(argc, argv);
  if (argc < 5) {
    std::fprintf(stderr, "usage: eigenmodes CONFIGURATION KAPPA MODES SET [ALPHA]\n");
    return 2;
  }
  run(argv[1], std::atof(argv[2]), std::atoi(argv[3]), argv[4], argc > 5 ? std::atof(argv[5]) : 0.5);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
