// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// generate: the arguments are checked on all ranks, then a Markov chain of the requested length runs.
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <limequat/grid.hpp>
#include <limequat/physics.hpp>

#include "base/error.hpp"
#include "base/float_environment.hpp"
#include "base/interruption.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "device/sites.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"
#include "options/agreed.hpp"
#include "physics/links.hpp"
#include "physics/random.hpp"
#include "physics/subgroup.hpp"

namespace lq::physics {

// A Markov chain of gauge configurations on this rank's part of the lattice: Wilson action, heat bath of Cabibbo and
// Marinari (Phys. Lett. B 119 (1982) 387), over-relaxation in the same subgroups.

template <int N>
class Chain {
 public:
  // Collective. Starts from random links or from 1, depending on the options.
  Chain(const Grid& grid, const GenerateOptions& options);

  // Collective. One heat bath sweep, number 1 and up, and the over-relaxation sweeps after it.
  void sweep(int number);

  // Local. Local sites in natural order, links of a site together.
  void copy_to(double* field) const noexcept;

 private:
  void start(const GenerateOptions& options);
  template <class Work>
  void share_out(std::size_t cells, const Work& work);
  template <class Update>
  void update_links(const Update& update);
  void heat_bath(int number);
  void over_relax();
  void reunitarise_all();

  double beta_ = 0;
  int over_relaxation_ = 0;
  std::uint64_t seed_ = 0;
  Colouring colouring_;
  Links links_;
  std::vector<std::vector<std::size_t>> cells_;  // local cells of each colour
  comm::Team team_;                              // shares the cells of one colour, which are independent
};

extern template class Chain<2>;
extern template class Chain<3>;

// Links of one direction and one colour are independent: they are updated in any order, then the copies on other ranks
// are refreshed. The update of a link depends on its site's number in the whole lattice, never on the rank.

namespace {

// Replaces u by g u for every SU(2) subgroup; choose(projection, number of the subgroup) gives g.
template <int N, class Choose>
void update_in_subgroups(double* u, const double* staple, const Choose& choose) {
  Matrix<Fixed<N>> w;
  multiply(Fixed<N>{}, u, staple, w.data());
  std::uint32_t subgroup = 0;
  for (int i = 0; i < N; ++i) {
    for (int j = i + 1; j < N; ++j) {
      const Quaternion g = choose(project<N>(w.data(), i, j), subgroup++);
      multiply_left<N>(g, u, i, j);
      multiply_left<N>(g, w.data(), i, j);
    }
  }
}

}  // namespace

template <int N>
Chain<N>::Chain(const Grid& grid, const GenerateOptions& options)
    : beta_(options.beta),
      over_relaxation_(options.over_relaxation),
      seed_(options.seed),
      colouring_(grid.extents()),
      links_(grid, N, Reach::staples, colouring_),
      team_(comm::thread_count(
          grid.communicator().engine(), options.threads,
          grid.volume() * static_cast<std::uint64_t>(grid.extents().size()) * matrix_numbers(N) * sizeof(double))) {
  comm::agree(grid.communicator().engine(), [&] {
    cells_.resize(static_cast<std::size_t>(colouring_.colours()));
    for (std::size_t cell = 0; cell < links_.halo().local_cells(); ++cell) {
      base::throw_if_interrupted();
      const Coord x = lattice::site_of_rank(links_.halo().site_rank(cell), grid.extents());
      cells_[static_cast<std::size_t>(colouring_.colour_of(x))].push_back(cell);
    }
  });
  start(options);
}

// Copies are drawn like the originals, so no exchange is needed.
template <int N>
void Chain<N>::start(const GenerateOptions& options) {
  share_out(links_.halo().cells(), [&](std::size_t begin, std::size_t end) {
    for (int mu = 0; mu < links_.directions(); ++mu) {
      for (std::size_t cell = begin; cell < end && !base::is_interrupted(); ++cell) {
        double* u = links_.at(mu, cell);
        for (int i = 0; i < N; ++i) set_element(Fixed<N>{}, u, i, i, 1.0);
        if (!options.hot_start) continue;
        Random random({seed_, 0, links_.halo().site_rank(cell), static_cast<std::uint32_t>(mu), 0});
        draw_matrix(Fixed<N>{}, u, random);
      }
    }
  });
}

template <int N>
void Chain<N>::sweep(int number) {
  heat_bath(number);
  for (int i = 0; i < over_relaxation_; ++i) over_relax();
  reunitarise_all();
}

// Calls work(begin, end) concurrently for parts of this many cells.
template <int N>
template <class Work>
void Chain<N>::share_out(std::size_t cells, const Work& work) {
  team_.run([&](int thread) {
    const lattice::Share mine =
        lattice::share_of(cells, static_cast<std::uint64_t>(team_.size()), static_cast<std::uint64_t>(thread));
    work(static_cast<std::size_t>(mine.begin), static_cast<std::size_t>(mine.end));
  });
}

// update(u, staple, mu, cell) changes the link.
template <int N>
template <class Update>
void Chain<N>::update_links(const Update& update) {
  for (int mu = 0; mu < links_.directions(); ++mu) {
    for (int colour = 0; colour < colouring_.colours(); ++colour) {
      share_out(cells_[static_cast<std::size_t>(colour)].size(), [&](std::size_t begin, std::size_t end) {
        Matrix<Fixed<N>> staple;
        for (std::size_t i = begin; i < end && !base::is_interrupted(); ++i) {
          const std::size_t cell = cells_[static_cast<std::size_t>(colour)][i];
          add_up_staple(Fixed<N>{}, links_, mu, cell, staple.data());
          update(links_.at(mu, cell), staple.data(), mu, cell);
        }
      });
      links_.refresh(mu, colour);
    }
  }
}

template <int N>
void Chain<N>::heat_bath(int number) {
  update_links([&](double* u, const double* staple, int mu, std::size_t cell) {
    const std::uint64_t site_rank = links_.halo().site_rank(cell);
    update_in_subgroups<N>(u, staple, [&](const Projection& projection, std::uint32_t subgroup) {
      Random random({seed_, static_cast<std::uint32_t>(number), site_rank, static_cast<std::uint32_t>(mu), subgroup});
      return lq::physics::heat_bath(projection.direction, 2 * beta_ / N * projection.size, random);
    });
  });
}

template <int N>
void Chain<N>::over_relax() {
  update_links([](double* u, const double* staple, int, std::size_t) {
    update_in_subgroups<N>(
        u, staple, [](const Projection& projection, std::uint32_t) { return reflection(projection.direction); });
  });
}

// Prevents an accumulation of rounding errors. Copies are equal to their originals and stay equal.
template <int N>
void Chain<N>::reunitarise_all() {
  share_out(links_.halo().cells(), [&](std::size_t begin, std::size_t end) {
    for (int mu = 0; mu < links_.directions(); ++mu) {
      for (std::size_t cell = begin; cell < end && !base::is_interrupted(); ++cell) {
        reunitarise(Fixed<N>{}, links_.at(mu, cell));
      }
    }
  });
}

template <int N>
void Chain<N>::copy_to(double* field) const noexcept {
  const std::size_t site_numbers = matrix_numbers(N) * static_cast<std::size_t>(links_.directions());
  for (std::size_t cell = 0; cell < links_.halo().local_cells() && !base::is_interrupted(); ++cell) {
    links_.get_site(cell, field + cell * site_numbers);
  }
}

template class Chain<2>;
template class Chain<3>;

}  // namespace lq::physics

namespace lq {
namespace {

[[noreturn]] void reject(const std::string& found, const std::string& expected, Code code = Code::invalid_argument) {
  base::fail(code, {.expected = expected, .found = found}, "cannot generate a configuration: found {}, expected {}",
             found, expected);
}

void check_options(const GenerateOptions& options) {
  if (!std::isfinite(options.beta) || options.beta < 0) reject(fmt::format("beta {}", options.beta), "0 or more");
  if (options.sweeps < 0) reject(fmt::format("{} sweeps", options.sweeps), "0 or more");
  if (options.over_relaxation < 0) {
    reject(fmt::format("{} over-relaxation sweeps", options.over_relaxation), "0 or more");
  }
}

void check_field(const Grid& grid, const MutableField& field) {
  const FieldSpec& spec = field.spec;
  const int dimensions = grid.extents().size();
  if (spec.kind != FieldKind::gauge || spec.precision != Precision::double_ || !lattice::is_plain(field)) {
    reject(fmt::format("a {} field in {} precision{}", name(spec.kind), name(spec.precision),
                       lattice::has_function(field) ? " behind a function"
                       : field.memory.is_plain()    ? ""
                                                    : " by description"),
           "a gauge field in double precision in plain memory");
  }
  if (spec.links != 0 && spec.links != dimensions) {
    reject(fmt::format("{} links per site", spec.links), fmt::format("{}, one per dimension", dimensions));
  }
  if (spec.colors != 2 && spec.colors != 3) {
    reject(fmt::format("SU({})", spec.colors), "SU(2) or SU(3)", Code::unsupported);
  }
  if (lattice::resolve_order(field.order, dimensions) != lattice::resolve_order({}, dimensions)) {
    reject("sites in another order", "the natural order, x fastest");
  }
  for (const auto extent : grid.extents()) {
    if (extent < 2) reject(fmt::format("lattice {}", to_string(grid.extents())), "extents of 2 and more");
  }
  if (dimensions < 2) reject(fmt::format("{} dimension", dimensions), "2 or more");
}

// The memory of the field, or host memory that replaces it for a GPU.
class Target {
 public:
  Target(const Grid& grid, const MutableField& field)
      : memory_(static_cast<std::byte*>(field.data)),
        sites_(grid.local_volume()),
        site_bytes_(static_cast<std::size_t>(field.spec.site_bytes())),
        driver_(device::driver_of(field.data, context_)),
        host_(driver_ != nullptr ? sites_ * field.spec.numbers : 0) {}

  double* numbers() noexcept { return driver_ != nullptr ? host_.data() : reinterpret_cast<double*>(memory_); }
  // Copies numbers() into the field.
  void complete() {
    if (driver_ == nullptr) return;
    device::copy_in(*driver_, context_, reinterpret_cast<const std::byte*>(host_.data()), memory_, sites_, site_bytes_);
  }

 private:
  std::byte* memory_;
  std::uint64_t sites_;
  std::size_t site_bytes_;
  device::DeviceContext context_;
  const device::Driver* driver_;
  std::vector<double> host_;
};

template <int N>
void run_chain(const Grid& grid, const MutableField& field, const GenerateOptions& options) {
  physics::Chain<N> chain(grid, options);
  comm::Comm& comm = grid.communicator().engine();
  const auto target = comm::agree(comm, [&] { return std::make_unique<Target>(grid, field); });
  for (int sweep = 1; sweep <= options.sweeps; ++sweep) {
    chain.sweep(sweep);
    comm::agree(comm, [] { base::throw_if_interrupted(); });
    if (!options.after_sweep) continue;
    chain.copy_to(target->numbers());
    comm::agree(comm, [&] {
      base::throw_if_interrupted();
      target->complete();
      options.after_sweep(sweep, field);
    });
  }
  chain.copy_to(target->numbers());
  comm::agree(comm, [&] {
    base::throw_if_interrupted();
    target->complete();
  });
}

}  // namespace

void generate(const Grid& grid, const MutableField& field, const GenerateOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const MutableField resolved = comm::agree(comm, [&] {
    check_options(options);
    check_field(grid, field);
    return lattice::resolve_field(grid, field);
  });
  comm::require_same(comm, [&] {
    std::vector<comm::StatedArgument> arguments = options::stated("GenerateOptions", options);
    arguments.push_back({"the gauge group", fmt::format("SU({})", field.spec.colors)});
    return arguments;
  });
  const base::DefaultFloatEnvironment as_everywhere;  // helpers that start later have it, too
  if (field.spec.colors == 2) {
    run_chain<2>(grid, resolved, options);
  } else {
    run_chain<3>(grid, resolved, options);
  }
}

}  // namespace lq
