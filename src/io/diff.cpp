// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two fields, number by number, whatever their formats and precisions, tile by tile through bounded memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <map>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "comm/agree.hpp"
#include "comm/tree.hpp"
#include "io/local_box.hpp"
#include "io/paired_boxes.hpp"
#include "io/payload_files.hpp"
#include "io/scan.hpp"
#include "lattice/site_order.hpp"
#include "options/agreed.hpp"
#include "threads/deal.hpp"
#include "threads/how_many.hpp"

namespace lq {

namespace {

// The largest difference seen, with its place as a number of the lattice's sites.
struct Extreme {
  double absolute = 0;
  double relative = 0;
  std::uint64_t rank = 0;  // site rank of the largest absolute difference
  std::uint64_t number = 0;
  double a = 0, b = 0;
  std::uint64_t differing = 0;
  std::uint64_t compared = 0;

  void add(double x, double y, std::uint64_t site_rank, std::uint64_t which, double tolerance) {
    ++compared;
    // Equal bits are equal, NaN included; a NaN on one side only is an infinite difference.
    if (x == y || std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y)) return;
    double distance = std::abs(x - y);
    if (std::isnan(distance)) distance = INFINITY;
    if (distance > tolerance) ++differing;
    const double size = std::max(std::abs(x), std::abs(y));
    relative = std::max(relative, std::isfinite(distance) && size > 0 ? distance / size : distance);
    if (distance > absolute || (distance == absolute && site_rank < rank)) {
      absolute = distance;
      rank = site_rank;
      number = which;
      a = x;
      b = y;
    }
  }
};

// The larger one, and of equals that of the lowest site; and all that was counted.
void combine(Extreme& total, const Extreme& other) {
  const bool wins = other.absolute > total.absolute ||
                    (other.absolute == total.absolute && other.absolute > 0 && other.rank < total.rank);
  if (wins) {
    total.absolute = other.absolute;
    total.rank = other.rank;
    total.number = other.number;
    total.a = other.a;
    total.b = other.b;
  }
  total.relative = std::max(total.relative, other.relative);
  total.differing += other.differing;
  total.compared += other.compared;
}

// The field with the larger blocks of which a layer is too large to be kept, if there is one.
const Payload* blocks_of_either(const Payload& x, const Payload& y) {
  const bool first = pump::blocks_in_turn(x, x.stored).has_value();
  const bool second = pump::blocks_in_turn(y, y.stored).has_value();
  if (first && second) return x.tile_sites >= y.tile_sites ? &x : &y;
  return first ? &x : second ? &y : nullptr;
}

void compare_box(const Payload& payload, const Box& box, const std::vector<double>& a, const std::vector<double>& b,
                 double tolerance, Extreme& extreme) {
  const SiteOrder natural = lattice::resolve_order({}, box.extents.size());
  Coord x = box.lower;
  std::size_t i = 0;
  do {
    const std::uint64_t rank = lattice::site_rank(x, payload.extents);
    for (std::uint64_t n = 0; n < payload.spec.numbers; ++n, ++i) extreme.add(a[i], b[i], rank, n, tolerance);
  } while (lattice::advance(x, box, natural));
}

// Collective. The extreme of all ranks.
Extreme reduce(comm::Comm& comm, const Extreme& mine) {
  Extreme total;
  comm::gather_records(comm, std::span(&mine, 1), 0, [&](const Extreme& other) { combine(total, other); });
  comm.broadcast(std::as_writable_bytes(std::span(&total, 1)), 0);
  return total;
}

std::vector<std::string> metadata_differences(const FieldEntry& a, const FieldEntry& b) {
  using Texts = std::vector<std::string_view>;  // of one name
  std::map<std::string, std::pair<Texts, Texts>> texts;
  for (const auto& [key, text] : a.metadata) texts[key].first.emplace_back(text);
  for (const auto& [key, text] : b.metadata) texts[key].second.emplace_back(text);
  std::vector<std::string> sentences;
  for (const auto& [key, pair] : texts) {
    const auto& [first, second] = pair;
    if (first.empty() || second.empty()) {
      sentences.push_back(fmt::format("\"{}\" is only in the {} file", key, second.empty() ? "first" : "second"));
    } else if (first != second) {
      sentences.push_back(fmt::format("\"{}\" differs", key));
    }
  }
  if (a.payload.spec.precision != b.payload.spec.precision) {
    sentences.push_back(
        fmt::format("precision: {} and {}", name(a.payload.spec.precision), name(b.payload.spec.precision)));
  }
  return sentences;
}

void require_comparable(const Catalog& a, const FieldEntry& x, const Catalog& b, const FieldEntry& y) {
  if (x.payload.stored == y.payload.stored && x.payload.extents == y.payload.extents &&
      x.payload.spec.numbers == y.payload.spec.numbers) {
    return;
  }
  const auto shape = [](const FieldEntry& entry) {
    return fmt::format("{} with {} numbers per site", to_string(entry.payload.stored.extents),
                       entry.payload.spec.numbers);
  };
  throw Error(Code::invalid_argument,
              fmt::format("{} and {} cannot be compared: \"{}\" is {}, \"{}\" is {}", a.path, b.path, x.name, shape(x),
                          y.name, shape(y)),
              {.path = b.path, .record = y.name, .expected = shape(x), .found = shape(y)});
}

}  // namespace

Difference diff(const std::string& a, const std::string& b, const Communicator& communicator,
                const DiffOptions& options) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, [&] { return options::stated("DiffOptions", options); });
  const auto one = io::ScannedFile::open(transport::resolve(a), a, communicator, options.limits);
  const auto other = io::ScannedFile::open(transport::resolve(b), b, communicator, options.limits);
  one->open_everywhere();
  other->open_everywhere();
  const Catalog &first = one->catalog(), &second = other->catalog();
  Extreme extreme;
  const int threads = threads::how_many(comm, options.threads, std::min(first.file_bytes, second.file_bytes));
  comm::agree(comm, [&] {
    first.require_sound();
    second.require_sound();
    const FieldEntry& x = first.field(options.field, options.index);
    const FieldEntry& y = second.field(options.field, options.index);
    require_comparable(first, x, second, y);
    const io::PayloadFiles files_a(one->files(), first, x.payload), files_b(other->files(), second, y.payload);
    threads::Team team(files_a.bear_threads() && files_b.bear_threads() ? threads : 1);
    const io::PairedBoxes boxes(
        x.payload, y.payload, blocks_of_either(x.payload, y.payload),
        io::tile_bytes / (x.payload.spec.numbers * sizeof(double)),
        {static_cast<std::uint64_t>(communicator.size()), static_cast<std::uint64_t>(communicator.rank())},
        team.size());
    std::vector<Extreme> seen(static_cast<std::size_t>(team.size()));
    std::atomic<std::uint64_t> done{0};
    threads::deal_out(team, boxes.items(), [&](int thread, std::uint64_t item) {
      boxes.for_each_box(item, [&](const Box& box) {
        compare_box(x.payload, box, io::read_box(files_a.sequence(), x.payload, box),
                    io::read_box(files_b.sequence(), y.payload, box), options.tolerance,
                    seen[static_cast<std::size_t>(thread)]);
      });
      const std::uint64_t now = ++done;
      if (options.progress && thread == 0 && communicator.is_root()) options.progress(now, boxes.items());
    });
    for (const Extreme& of_thread : seen) combine(extreme, of_thread);
  });
  extreme = reduce(comm, extreme);

  const FieldEntry& entry = first.field(options.field, options.index);
  Difference result;
  result.same = extreme.differing == 0;
  result.largest_absolute = extreme.absolute;
  result.largest_relative = extreme.relative;
  result.site = lattice::site_of_rank(extreme.rank, entry.payload.extents);
  result.number = extreme.number;
  result.a = extreme.a;
  result.b = extreme.b;
  result.differing_numbers = extreme.differing;
  result.compared_numbers = extreme.compared;
  result.metadata =
      comm::agree_alike(comm, [&] { return metadata_differences(entry, second.field(options.field, options.index)); });
  return result;
}

}  // namespace lq
