// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// generate: the arguments checked on all ranks, then a chain run for its length.
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "base/interruption.hpp"
#include "comm/agree.hpp"
#include "device/sites.hpp"
#include "lattice/layout_rows.hpp"
#include "lattice/local_field.hpp"
#include "lattice/site_order.hpp"
#include "options/agreed.hpp"
#include "physics/chain.hpp"

namespace lq {
namespace {

[[noreturn]] void reject(const std::string& found, const std::string& expected, Code code = Code::invalid_argument) {
  throw Error(code, fmt::format("cannot generate a configuration: found {}, expected {}", found, expected),
              {.expected = expected, .found = found});
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

// The memory of the field, and memory of the host that takes its place where it is a GPU's.
class Target {
 public:
  Target(const Grid& grid, const MutableField& field)
      : memory_(static_cast<std::byte*>(field.data)),
        sites_(grid.local_volume()),
        site_bytes_(static_cast<std::size_t>(field.spec.site_bytes())),
        driver_(device::driver_of(field.data, home_)),
        host_(driver_ != nullptr ? sites_ * field.spec.numbers : 0) {}

  double* numbers() noexcept { return driver_ != nullptr ? host_.data() : reinterpret_cast<double*>(memory_); }
  // What was written to numbers() is in the field.
  void complete() {
    if (driver_ == nullptr) return;
    device::copy_in(*driver_, home_, reinterpret_cast<const std::byte*>(host_.data()), memory_, sites_, site_bytes_);
  }

 private:
  std::byte* memory_;
  std::uint64_t sites_;
  std::size_t site_bytes_;
  device::DeviceContext home_;
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
      target->complete();
      options.after_sweep(sweep, field);
    });
  }
  chain.copy_to(target->numbers());
  comm::agree(comm, [&] { target->complete(); });
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
    std::vector<comm::Stated> arguments = options::stated("GenerateOptions", options);
    arguments.push_back({"the gauge group", fmt::format("SU({})", field.spec.colors)});
    return arguments;
  });
  if (field.spec.colors == 2) {
    run_chain<2>(grid, resolved, options);
  } else {
    run_chain<3>(grid, resolved, options);
  }
}

}  // namespace lq
