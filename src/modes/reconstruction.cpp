// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "modes/reconstruction.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "io/open_file.hpp"
#include "lattice/local_field.hpp"
#include "modes/blocks.hpp"

namespace lq::modes {
namespace {

using Complex = std::complex<double>;

void require_grid_of(const Set& set, const Grid& grid, const std::optional<Box>& region) {
  const Extents sites = set.description().sites();
  const Box box = region.value_or(whole(sites));
  if (grid.extents() == box.extents && intersect(box, whole(sites)) == box) return;
  const std::string& path = set.file().catalog().path;
  throw Error(Code::invalid_argument,
              fmt::format("{}: the vectors live on {}, the grid is {}; make the grid of the sites of the set, or of a "
                          "region of it",
                          path, to_string(sites), to_string(grid.extents())),
              {.path = path, .expected = to_string(sites), .found = to_string(grid.extents())});
}

void require_vector(const std::string& path, const FieldSpec& expected, const FieldSpec& given) {
  if (given.numbers == expected.numbers && given.is_complex == expected.is_complex) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: a site of a vector has {} numbers, the field has {}", path, expected.numbers, given.numbers),
      {.path = path, .expected = fmt::format("{}", expected.numbers), .found = fmt::format("{}", given.numbers)});
}

// This rank's sites, in coordinates of the lattice of the vectors.
Box sites_of(const Grid& grid, const std::optional<Box>& region) {
  Box box = grid.local_box();
  for (int d = 0; region && d < box.lower.size() && d < region->lower.size(); ++d) box.lower[d] += region->lower[d];
  return box;
}

}  // namespace

Reconstruction::Reconstruction(const Set& set, const Grid& grid, const Grid& blocks, const std::optional<Box>& region)
    : file_(FileAccess::file_of(set.file())),
      site_(set.description().field()),
      count_(set.description().coherence.basis),
      grid_(grid),
      blocks_(blocks),
      region_(region),
      basis_(set.description(), sites_of(grid, region)) {}

std::shared_ptr<const Reconstruction> Reconstruction::of(const Set& set, const Grid& grid, const ReadOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const Grid blocks = grid_of_blocks(grid, set.description());
  std::vector<Coord> wanted;
  std::vector<double> numbers;
  std::array<std::uint64_t, 1> has_own{};
  const auto made = comm::agree(comm, [&] {
    require_grid_of(set, grid, options.region);
    std::shared_ptr<Reconstruction> local(new Reconstruction(set, grid, blocks, options.region));
    const Box &cover = local->basis_.cover(), &own = blocks.local_box();
    wanted = list_of(cover);
    numbers.resize(static_cast<std::size_t>(local->basis_.numbers()));
    has_own[0] = cover == own || (cover.empty() && own.empty()) ? 1 : 0;
    return local;
  });
  comm.all_reduce(has_own, comm::Reduce::min);
  if (has_own[0] == 0) made->exchange_.emplace(blocks, wanted);
  FieldSpec spec = made->site_;
  spec.precision = Precision::double_;
  const MutableField vector{spec, numbers.data(), numbers.size(), {}, {}};
  for (std::uint64_t k = 0; k < made->count_; ++k) {
    set.read(k, grid, vector, options);
    comm::agree(comm, [&] { made->basis_.add(numbers); });
  }
  return made;
}

bool Reconstruction::is_for(const Grid& grid, const ReadOptions& options) const {
  return grid.communicator().size() == grid_.communicator().size() && grid.extents() == grid_.extents() &&
         grid.local_box() == grid_.local_box() && options.region == region_;
}

// Collective. The field borrows the memory.
std::unique_ptr<io::Transfer> Reconstruction::read_coefficients(std::vector<Complex>& to,
                                                                const ReadOptions& options) const {
  const MutableField field = comm::agree(grid_.communicator().engine(), [&] {
    to.resize(static_cast<std::size_t>(blocks_.local_volume() * count_));
    return MutableField{generic_spec(Precision::double_, 2 * count_, true), to.data(), 2 * to.size(), {}, {}};
  });
  ReadOptions of_blocks = options;
  of_blocks.region.reset();
  return io::begin_read(file_, blocks_, field, of_blocks);
}

// Collective.
void Reconstruction::exchange(const std::vector<Complex>& own, std::vector<Complex>& wanted) const {
  exchange_->exchange(std::as_bytes(std::span(own)).data(), static_cast<std::size_t>(count_ * sizeof(Complex)),
                      std::as_writable_bytes(std::span(wanted)).data());
}

class CombinedTransfer final : public io::Transfer, private engine::Movement {
 public:
  // Local.
  CombinedTransfer(std::shared_ptr<const Reconstruction> basis, const MutableField& vector)
      : basis_(std::move(basis)), vector_(lattice::resolve_field(basis_->grid_, vector)) {
    require_vector(basis_->file_->catalog().path, basis_->site_, vector_.spec);
    numbers_.resize(static_cast<std::size_t>(whole_modes().numbers()));
    if (vector_.spec.precision == Precision::single) rounded_.resize(numbers_.size());
    if (basis_->exchange_) wanted_.resize(static_cast<std::size_t>(whole_modes().cover().volume() * basis_->count_));
  }
  // Collective.
  void begin(const ReadOptions& options) { coefficients_ = basis_->read_coefficients(own_, options); }

  engine::Movement& movement() override { return *this; }

  // Collective.
  Report finish(const std::exception_ptr& failure) override {
    comm::Comm& comm = basis_->grid_.communicator().engine();
    Report report = coefficients_->finish(failure);
    if (basis_->exchange_) {
      basis_->exchange(own_, wanted_);
      comm::agree(comm, [&] {
        while (combine(wanted_)) {
        }
      });
    }
    report.seconds.total = comm::max_over_ranks(comm, watch_.seconds());
    return report;
  }

 private:
  const Basis& whole_modes() const noexcept { return basis_->basis_; }

  engine::Progress take_step() override {
    if (!have_arrived_) {
      if (is_cancelled()) coefficients_->movement().cancel();
      const engine::Progress progress = coefficients_->movement().step();
      if (progress != engine::Progress::finished) return progress;
      have_arrived_ = true;
    }
    if (basis_->exchange_ || is_cancelled()) return engine::Progress::finished;
    return combine(own_) ? engine::Progress::moved : engine::Progress::finished;
  }
  bool needs_messages() const noexcept override { return coefficients_->movement().needs_messages(); }
  void fetch_ahead() noexcept override { coefficients_->movement().fetch_ahead(); }
  std::uint64_t memory_bytes() const noexcept override {
    return coefficients_->movement().memory_bytes() + numbers_.size() * sizeof(double) +
           rounded_.size() * sizeof(float) + (own_.size() + wanted_.size()) * sizeof(Complex);
  }

  // A block more, or, when all are there, the vector; whether there is more to do.
  bool combine(const std::vector<Complex>& coefficients) {
    if (block_ == whole_modes().cover().volume()) {
      give();
      return false;
    }
    whole_modes().combine(block_, std::span(coefficients).subspan(static_cast<std::size_t>(block_ * basis_->count_)),
                          numbers_);
    ++block_;
    return true;
  }
  void give() {
    if (rounded_.empty()) {
      return lattice::give_sites(basis_->grid_, std::as_bytes(std::span(std::as_const(numbers_))).data(), vector_);
    }
    std::ranges::transform(numbers_, rounded_.begin(), [](double number) { return static_cast<float>(number); });
    lattice::give_sites(basis_->grid_, std::as_bytes(std::span(std::as_const(rounded_))).data(), vector_);
  }

  base::Stopwatch watch_;
  std::shared_ptr<const Reconstruction> basis_;
  MutableField vector_;
  std::vector<Complex> own_, wanted_;  // coefficients as read, and those of this rank's sites
  std::vector<double> numbers_;
  std::vector<float> rounded_;
  std::unique_ptr<io::Transfer> coefficients_;  // refers to own_
  bool have_arrived_ = false;
  std::uint64_t block_ = 0;
};

std::unique_ptr<io::Transfer> Reconstruction::begin(const std::shared_ptr<const Reconstruction>& basis,
                                                    const MutableField& vector, const ReadOptions& options) {
  auto transfer = comm::agree(basis->grid_.communicator().engine(),
                              [&] { return std::make_unique<CombinedTransfer>(basis, vector); });
  transfer->begin(options);
  return transfer;
}

}  // namespace lq::modes
