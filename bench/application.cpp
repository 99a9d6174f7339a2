// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a program's time goes into files, for the three programs of the Lemon paper: a trajectory of hybrid Monte
// Carlo (here of the pure gauge theory), an inversion of the Wilson operator, and one with 18 shifts, which writes 19
// results. Each reads a configuration, computes, and writes; in every round once with one rank that reads and writes
// for all, as C-LIME does, and once in parallel. Files of both ways must be the same. The operator is that of
// examples/eigenmodes; nothing is optimised, so the shares of a production code are larger.
//
//   mpirun -n 2 bench_application CONFIGURATION FOLDER [ROUNDS [KAPPA]] > application.json
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <limequat/limequat.hpp>
#include <limequat/mpi.hpp>

#include "turns.hpp"
#include "wilson.hpp"

namespace {

using eigenmodes::Links;
using eigenmodes::Number;
using eigenmodes::product;
using eigenmodes::Vector;
using eigenmodes::Wilson;

enum class Way { serial, parallel };
constexpr std::array<const char*, 2> way_names = {"serial", "parallel"};

// The parts of one run of a program, by the slowest rank; the bytes that it read and wrote, and the checksums of these.
struct Split {
  double read = 0, compute = 0, write = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::vector<lq::Checksum> checksums = {};
};

// Fields of double precision on whole time slices, which are contiguous in the memory of a rank that holds all.
class Files {
 public:
  Files(const lq::Grid& grid, std::string folder, Way way) : grid_(grid), folder_(std::move(folder)), way_(way) {}

  const lq::Grid& grid() const noexcept { return grid_; }
  const Split& split() const noexcept { return split_; }

  void read_configuration(const std::string& path, Links& links) {
    links.resize(grid_.local_volume());
    split_.bytes_read += grid_.volume() * sizeof links.front();
    split_.read += seconds_of(grid_.communicator(), [&] {
      if (way_ == Way::parallel) {
        lq::read(path, grid_, lq::gauge(links));
        return;
      }
      Links all(grid_.is_root() ? grid_.volume() : 0);
      if (grid_.is_root()) lq::read(path, lq::Grid(grid_.extents()), lq::gauge(all));
      const int count = static_cast<int>(links.size() * 72);
      MPI_Scatter(all.data(), count, MPI_DOUBLE, links.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
  }

  void compute(const std::function<void()>& work) { split_.compute += seconds_of(grid_.communicator(), work); }

  // `site`: complex numbers of a site.
  void write(const std::string& name, const Number* numbers, std::size_t site, const lq::Field& field,
             lq::Field (*whole)(const Vector&)) {
    lq::WriteOptions options;
    options.overwrite = true;
    lq::Report report;
    const std::string path = folder_ + "/" + name;
    split_.write += seconds_of(grid_.communicator(), [&] {
      if (way_ == Way::parallel) {
        report = lq::write(path, grid_, field, options);
        return;
      }
      Vector all(grid_.is_root() ? grid_.volume() * site : 0);
      const int count = static_cast<int>(grid_.local_volume() * site * 2);
      MPI_Gather(numbers, count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      if (grid_.is_root()) report = lq::write(path, lq::Grid(grid_.extents()), whole(all), options);
    });
    split_.bytes_written += grid_.volume() * site * sizeof(Number);
    if (grid_.is_root()) split_.checksums.push_back(report.checksum);
  }
  void write(const std::string& name, const Vector& spinor) {
    write(name, spinor.data(), 12, lq::spinor(spinor), [](const Vector& all) { return lq::Field(lq::spinor(all)); });
  }
  void write(const std::string& name, const Links& links) {
    write(name, links.front().data(), 36, lq::gauge(links),
          [](const Vector& all) { return lq::Field(lq::gauge(all)); });
  }

 private:
  const lq::Grid& grid_;
  std::string folder_;
  Way way_;
  Split split_;
};

// --- solutions of (Q^2 + shift) x = source -----------------------------------------------------------------------

constexpr double tolerance = 1e-10;  // of the norm of the residual, relative to that of the source

// (Q^2 + shift) in, by way of `half`.
void apply(const Wilson& q, double shift, const Vector& in, Vector& half, Vector& out) {
  q.apply(in.data(), half.data());
  q.apply(half.data(), out.data());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] += shift * in[i];
}

double norm(const Wilson& q, const Vector& v) { return product(q.grid(), v.data(), v.data(), v.size()).real(); }

// One solution for each shift by conjugate gradients; the shifts ascend from 0. (Jegerlehner, hep-lat/9612014.)
std::vector<Vector> solve(const Wilson& q, const Vector& source, const std::vector<double>& shifts) {
  const std::size_t n = q.size();
  std::vector<Vector> solutions(shifts.size(), Vector(n)), directions(shifts.size(), source);
  std::vector<double> zeta(shifts.size(), 1), zeta_before = zeta;
  Vector residual = source, half(n), image(n);
  double rr = norm(q, residual), alpha_before = 1, beta = 0;
  const double enough = tolerance * tolerance * rr;
  for (int step = 0; rr > enough; ++step) {
    if (step == 10000) throw std::runtime_error("the solver does not converge; choose a smaller KAPPA");
    apply(q, shifts[0], directions[0], half, image);
    const double alpha = rr / product(q.grid(), directions[0].data(), image.data(), n).real();
    std::vector<double> zeta_after(shifts.size(), 1);
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      const double shift = shifts[k] - shifts[0];
      zeta_after[k] = zeta[k] * zeta_before[k] * alpha_before /
                      (alpha * beta * (zeta_before[k] - zeta[k]) + zeta_before[k] * alpha_before * (1 + shift * alpha));
      const double step_length = alpha * zeta_after[k] / zeta[k];
      for (std::size_t i = 0; i < n; ++i) solutions[k][i] += step_length * directions[k][i];
    }
    for (std::size_t i = 0; i < n; ++i) residual[i] -= alpha * image[i];
    const double rr_after = norm(q, residual);
    beta = rr_after / rr;
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      const double ratio = zeta_after[k] / zeta[k], beta_k = beta * ratio * ratio;
      for (std::size_t i = 0; i < n; ++i) directions[k][i] = zeta_after[k] * residual[i] + beta_k * directions[k][i];
    }
    zeta_before = std::exchange(zeta, std::move(zeta_after));
    alpha_before = alpha;
    rr = rr_after;
  }
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    apply(q, shifts[k], solutions[k], half, image);
    for (std::size_t i = 0; i < n; ++i) image[i] -= source[i];
    if (norm(q, image) > 1e4 * enough) throw std::runtime_error("a solution is wrong");
  }
  return solutions;
}

void invert(Files& files, const std::string& configuration, double kappa, const std::vector<double>& shifts) {
  Links links;
  files.read_configuration(configuration, links);
  std::vector<Vector> solutions;
  files.compute([&] {
    const Wilson q(files.grid(), std::move(links), kappa);
    Vector source(q.size());
    if (files.grid().is_root()) source[0] = 1;
    solutions = solve(q, source, shifts);
  });
  for (std::size_t k = 0; k < shifts.size(); ++k) files.write("solution." + std::to_string(k), solutions[k]);
}

// --- a trajectory ------------------------------------------------------------------------------------------------

using Matrix = std::array<Number, 9>;

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < 3; ++j) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
  }
  return c;
}
Matrix operator+(Matrix a, const Matrix& b) {
  for (std::size_t i = 0; i < 9; ++i) a[i] += b[i];
  return a;
}
Matrix operator*(double factor, Matrix a) {
  for (Number& number : a) number *= factor;
  return a;
}
Matrix adjoint(const Matrix& a) {
  Matrix c;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c[3 * i + j] = std::conj(a[3 * j + i]);
  }
  return c;
}
Number trace(const Matrix& a) { return a[0] + a[4] + a[8]; }

Matrix exponential(const Matrix& a) {
  const Matrix one{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Matrix sum = one, term = one;
  for (int n = 1; n <= 12; ++n) {
    term = (1.0 / n) * (term * a);
    sum = sum + term;
  }
  return sum;
}

// Links and momenta of this rank's time slices, with one more slice of links at each end.
class Trajectory {
 public:
  Trajectory(const lq::Grid& grid, const Links& links)
      : grid_(grid),
        extents_(grid.local_box().extents),
        slice_(static_cast<std::size_t>(extents_[0] * extents_[1] * extents_[2]) * 4),
        links_(slice_ * static_cast<std::size_t>(extents_[3] + 2)),
        momenta_(slice_ * static_cast<std::size_t>(extents_[3])) {
    for (std::size_t k = 0; k < momenta_.size(); ++k) {
      std::copy_n(links[k / 4].begin() + 9 * (k % 4), 9, links_[slice_ + k].begin());
    }
  }

  void copy_to(Links& links) const {
    for (std::size_t k = 0; k < momenta_.size(); ++k) {
      std::copy_n(links_[slice_ + k].begin(), 9, links[k / 4].begin() + 9 * (k % 4));
    }
  }

  // By the leapfrog; the change of the energy.
  double run(int steps) {
    constexpr double length = 1;
    draw_momenta();
    exchange();
    const double before = energy(), step = length / steps;
    for (int k = 0; k < steps; ++k) {
      kick(k == 0 ? step / 2 : step);
      drift(step);
    }
    kick(step / 2);
    return energy() - before;
  }

 private:
  static constexpr double beta_ = 6;

  // exp(-K), K = -tr P^2: independent normal numbers for the eight generators.
  void draw_momenta() {
    std::mt19937_64 random(static_cast<std::uint64_t>(grid_.rank()) + 1);
    std::normal_distribution<double> normal;
    for (Matrix& p : momenta_) {
      std::array<double, 8> r;
      for (double& number : r) number = normal(random) / 2;
      const double third = r[7] / std::sqrt(3.0);
      const std::array<Number, 9> hermitian = {Number(r[2] + third), Number(r[0], -r[1]),  Number(r[3], -r[4]),
                                               Number(r[0], r[1]),   Number(third - r[2]), Number(r[5], -r[6]),
                                               Number(r[3], r[4]),   Number(r[5], r[6]),   Number(-2 * third)};
      for (std::size_t i = 0; i < 9; ++i) p[i] = Number(0, 1) * hermitian[i];
    }
  }

  // The slices of links at the ends, from the neighbours.
  void exchange() {
    const int up = (grid_.rank() + 1) % grid_.size(), down = (grid_.rank() + grid_.size() - 1) % grid_.size();
    const int count = static_cast<int>(slice_ * 18);
    Matrix *const first = links_.data() + slice_, *const last = links_.data() + momenta_.size();
    MPI_Sendrecv(first, count, MPI_DOUBLE, down, 3, last + slice_, count, MPI_DOUBLE, up, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, count, MPI_DOUBLE, up, 4, links_.data(), count, MPI_DOUBLE, down, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }

  // A site of this rank by its coordinates; t from -1 to the local extent.
  using Place = std::array<std::int64_t, 4>;
  static Place moved(Place x, int mu, int by, const lq::Extents& extents) {
    auto& at = x[static_cast<std::size_t>(mu)];
    at += by;
    if (mu < 3) at = (at + extents[mu]) % extents[mu];
    return x;
  }
  const Matrix& link(const Place& x, int mu) const {
    const std::int64_t site = ((x[3] + 1) * extents_[2] + x[2]) * extents_[1] * extents_[0] + x[1] * extents_[0] + x[0];
    return links_[static_cast<std::size_t>(4 * site + mu)];
  }

  // What U_mu(x) is multiplied with in the plaquettes that contain it: those ahead only, or all.
  Matrix staples(const Place& x, int mu, bool only_ahead) const {
    Matrix sum{};
    const Place next = moved(x, mu, 1, extents_);
    for (int nu = only_ahead ? mu + 1 : 0; nu < 4; ++nu) {
      if (nu == mu) continue;
      sum = sum + link(next, nu) * adjoint(link(moved(x, nu, 1, extents_), mu)) * adjoint(link(x, nu));
      if (only_ahead) continue;
      const Place below = moved(x, nu, -1, extents_), beside = moved(next, nu, -1, extents_);
      sum = sum + adjoint(link(beside, nu)) * adjoint(link(below, mu)) * link(below, nu);
    }
    return sum;
  }

  template <class Work>
  void for_each_link(const Work& work) const {
    std::size_t number = 0;
    for (Place x = {0, 0, 0, 0}; x[3] < extents_[3]; ++x[3]) {
      for (x[2] = 0; x[2] < extents_[2]; ++x[2]) {
        for (x[1] = 0; x[1] < extents_[1]; ++x[1]) {
          for (x[0] = 0; x[0] < extents_[0]; ++x[0]) {
            for (int mu = 0; mu < 4; ++mu) work(x, mu, number++);
          }
        }
      }
    }
  }

  double energy() const {
    double sum = 0;
    for_each_link([&](const Place& x, int mu, std::size_t number) {
      const Matrix& p = momenta_[number];
      sum -= trace(p * p).real() + beta_ / 3 * trace(link(x, mu) * staples(x, mu, true)).real();
    });
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
  }

  void kick(double step) {
    for_each_link([&](const Place& x, int mu, std::size_t number) {
      const Matrix plaquettes = link(x, mu) * staples(x, mu, false);
      Matrix force = plaquettes + -1.0 * adjoint(plaquettes);
      const Number third = trace(force) / 3.0;
      for (const std::size_t i : {0, 4, 8}) force[i] -= third;
      momenta_[number] = momenta_[number] + -step * beta_ / 12 * force;
    });
  }

  void drift(double step) {
    for (std::size_t k = 0; k < momenta_.size(); ++k) {
      Matrix& link = links_[slice_ + k];
      link = exponential(step * momenta_[k]) * link;
    }
    exchange();
  }

  lq::Grid grid_;
  lq::Extents extents_;
  std::size_t slice_;  // links of a time slice
  std::vector<Matrix> links_, momenta_;
};

void run_trajectory(Files& files, const std::string& configuration) {
  Links links;
  files.read_configuration(configuration, links);
  double change = 0;
  files.compute([&] {
    constexpr int steps = 50;
    Trajectory trajectory(files.grid(), links);
    change = trajectory.run(steps);
    trajectory.copy_to(links);
  });
  if (!(std::abs(change) < 2e-4 * static_cast<double>(files.grid().volume()))) {
    throw std::runtime_error("the trajectory does not conserve the energy: it changed by " + std::to_string(change));
  }
  files.write("trajectory", links);
}

// --- results -----------------------------------------------------------------------------------------------------

// Of 18 shifts and none.
std::vector<double> masses() {
  std::vector<double> shifts = {0};
  for (double shift = 1e-3; shifts.size() < 19; shift *= 1.4) shifts.push_back(shift);
  return shifts;
}

struct Program {
  const char* name;
  std::function<void(Files& files)> run;
};

double median_of(const std::vector<Split>& runs, double Split::*part) {
  std::vector<double> seconds;
  for (const Split& run : runs) seconds.push_back(run.*part);
  return median(std::move(seconds));
}

void print(const char* program, Way way, const std::vector<Split>& runs, bool is_first) {
  std::printf(
      "%s{\"program\": \"%s\", \"io\": \"%s\", \"read\": %.6g, \"compute\": %.6g, \"write\": %.6g, \"bytes_read\": "
      "%llu, \"bytes_written\": %llu}",
      is_first ? "" : ",\n", program, way_names[static_cast<std::size_t>(way)], median_of(runs, &Split::read),
      median_of(runs, &Split::compute), median_of(runs, &Split::write),
      static_cast<unsigned long long>(runs.front().bytes_read),
      static_cast<unsigned long long>(runs.front().bytes_written));
}

void measure(const lq::Grid& grid, const std::string& configuration, const std::string& folder, int rounds,
             double kappa) {
  const std::array<Program, 3> programs = {
      {{"trajectory", [&](Files& files) { run_trajectory(files, configuration); }},
       {"inversion", [&](Files& files) { invert(files, configuration, kappa, {0}); }},
       {"18 shifts", [&](Files& files) { invert(files, configuration, kappa, masses()); }}}};
  if (grid.is_root()) {
    std::printf("{\"lattice\": \"%s\", \"ranks\": %d, \"rounds\": %d, \"results\": [\n",
                to_string(grid.extents()).c_str(), grid.size(), rounds);
  }
  bool is_first = true;
  for (const Program& program : programs) {
    std::map<Way, std::vector<Split>> runs;
    std::vector<Way> ways = {Way::serial, Way::parallel};
    in_turn(ways, rounds, [&](Way way, bool counts) {
      Files files(grid, folder, way);
      program.run(files);
      if (counts) runs[way].push_back(files.split());
    });
    for (const Way way : ways) {
      if (runs[way].front().checksums != runs[Way::serial].front().checksums) {
        throw std::runtime_error(std::string(program.name) + ": serial and parallel files differ");
      }
      if (grid.is_root()) print(program.name, way, runs[way], std::exchange(is_first, false));
    }
  }
  if (grid.is_root()) std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) try {
  const lq::mpi::Environment mpi(argc, argv);
  const lq::Communicator ranks = lq::mpi::communicator();
  if (argc < 3) {
    if (ranks.is_root()) std::fprintf(stderr, "usage: bench_application CONFIGURATION FOLDER [ROUNDS [KAPPA]]\n");
    return 2;
  }
  const lq::Extents lattice = lq::open(argv[1], ranks).catalog().fields.front().payload.extents;
  const lq::Grid grid(ranks, lattice, {.processes = lq::Extents{1, 1, 1, ranks.size()}});
  measure(grid, argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 3, argc > 4 ? std::atof(argv[4]) : 0.13);
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_application: %s\n", error.what());
  return 1;
}
