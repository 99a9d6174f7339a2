// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// generate: the arguments checked on all ranks, then a chain run for its length.
#include <cmath>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/physics.hpp>

#include "comm/agree.hpp"
#include "grid/local_field.hpp"
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
  if (spec.kind != FieldKind::gauge || spec.precision != Precision::double_ || field.store) {
    reject(fmt::format("a {} field in {} precision{}", name(spec.kind), name(spec.precision),
                       field.store ? " behind a function" : ""),
           "a gauge field in double precision in memory");
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

template <int N>
void run_chain(const Grid& grid, const MutableField& field, const GenerateOptions& options) {
  physics::Chain<N> chain(grid, options);
  double* numbers = static_cast<double*>(field.data);
  for (int sweep = 1; sweep <= options.sweeps; ++sweep) {
    chain.sweep(sweep);
    if (!options.after_sweep) continue;
    chain.copy_to(numbers);
    comm::agree(grid.communicator().engine(), [&] { options.after_sweep(sweep, field); });
  }
  chain.copy_to(numbers);
}

}  // namespace

void generate(const Grid& grid, const MutableField& field, const GenerateOptions& options) {
  comm::Comm& comm = grid.communicator().engine();
  const MutableField resolved = comm::agree(comm, [&] {
    check_options(options);
    check_field(grid, field);
    return grid::resolve_field(grid, field);
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
