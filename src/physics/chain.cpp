// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Links of one direction and one colour do not see each other: they are updated in any order, then the copies that
// other ranks hold are brought up to date. What happens to a link depends on its site's number in the whole lattice,
// never on the rank.
#include "physics/chain.hpp"

#include <utility>

#include "base/interruption.hpp"
#include "comm/agree.hpp"
#include "comm/thread_count.hpp"
#include "lattice/site_order.hpp"
#include "lattice/tiles.hpp"
#include "physics/staple.hpp"
#include "physics/subgroup.hpp"

namespace lq::physics {
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
      const Coord x = lattice::site_of_rank(links_.halo().site_rank(cell), grid.extents());
      cells_[static_cast<std::size_t>(colouring_.colour_of(x))].push_back(cell);
    }
  });
  start(options);
}

// Copies are drawn like the originals: no exchange is needed.
template <int N>
void Chain<N>::start(const GenerateOptions& options) {
  share_out(links_.halo().cells(), [&](std::size_t begin, std::size_t end) {
    for (int mu = 0; mu < links_.directions(); ++mu) {
      for (std::size_t cell = begin; cell < end; ++cell) {
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

// work(begin, end) for parts of so many cells, side by side.
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

// Rounding errors must not pile up. Copies are equal to their originals and stay so.
template <int N>
void Chain<N>::reunitarise_all() {
  share_out(links_.halo().cells(), [&](std::size_t begin, std::size_t end) {
    for (int mu = 0; mu < links_.directions(); ++mu) {
      for (std::size_t cell = begin; cell < end; ++cell) reunitarise(Fixed<N>{}, links_.at(mu, cell));
    }
  });
}

template <int N>
void Chain<N>::copy_to(double* field) const noexcept {
  const std::size_t site_numbers = matrix_numbers(N) * static_cast<std::size_t>(links_.directions());
  for (std::size_t cell = 0; cell < links_.halo().local_cells(); ++cell) {
    links_.get_site(cell, field + cell * site_numbers);
  }
}

template class Chain<2>;
template class Chain<3>;

}  // namespace lq::physics
