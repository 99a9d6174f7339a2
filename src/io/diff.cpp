// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the fields of two files, number by number, for any formats and precisions, tile by tile in bounded
// memory.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <map>

#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "comm/tree.hpp"
#include "io/payload_files.hpp"
#include "io/scan.hpp"
#include "lattice/site_order.hpp"
#include "options/agreed.hpp"

namespace lq {

namespace {

// The largest difference, with its place as a site number of the lattice.
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
    // Equal bits are equal, also for NaN; a NaN on one side only is an infinite difference.
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

// Takes the larger difference, of equal ones the lowest site; and adds the counts.
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

// The field with the larger blocks if a layer of them is too large for the cache; else nullptr.
const Payload* blocks_of_either(const Payload& x, const Payload& y) {
  const bool first = engine::block_order(x, x.stored).has_value();
  const bool second = engine::block_order(y, y.stored).has_value();
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

// Collective. The extreme over all ranks.
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

// Two fields to compare, and their names in the result.
struct Pair {
  const FieldEntry* x;
  const FieldEntry* y;
  std::string label;
};

// "spinor", "spinor:1", ... as listed, and "spinor", "spinor.1", ... if names must be
// unique: both mean the same field.
struct Listed {
  const FieldEntry* entry;
  std::string label, unique;
};

std::vector<Listed> list_fields(const Catalog& catalog) {
  std::map<std::string, std::uint64_t> seen;
  std::vector<Listed> listed;
  for (const FieldEntry& entry : catalog.fields) {
    const std::uint64_t number = seen[entry.name]++;
    if (number == 0) {
      listed.push_back({&entry, entry.name, entry.name});
    } else {
      listed.push_back({&entry, fmt::format("{}:{}", entry.name, number), fmt::format("{}.{}", entry.name, number)});
    }
  }
  return listed;
}

// Pairs the fields of two files: by name; if each file then has one left, these two.
struct Pairing {
  std::vector<Pair> pairs;
  std::vector<std::string> unpaired;
};

Pairing pair_all(const Catalog& a, const Catalog& b) {
  Pairing pairing;
  std::vector<Listed> mine, theirs = list_fields(b);
  const auto pair = [&](const Listed& one, std::vector<Listed>::iterator other) {
    pairing.pairs.push_back({one.entry, other->entry, one.label});
    theirs.erase(other);
  };
  for (Listed& one : list_fields(a)) {
    const auto same = std::ranges::find(theirs, one.unique, &Listed::unique);
    if (same == theirs.end()) {
      mine.push_back(std::move(one));
    } else {
      pair(one, same);
    }
  }
  if (mine.size() == 1 && theirs.size() == 1) {
    pair(mine.front(), theirs.begin());
    mine.clear();
  }
  for (const Listed& one : mine) pairing.unpaired.push_back(fmt::format("{} (only in {})", one.label, a.path));
  for (const Listed& one : theirs) pairing.unpaired.push_back(fmt::format("{} (only in {})", one.label, b.path));
  return pairing;
}

Pairing pair_one(const Catalog& a, const Catalog& b, const DiffOptions& options) {
  const FieldEntry* const x = &a.field(options.field, options.index);
  const std::vector<Listed> mine = list_fields(a), theirs = list_fields(b);
  const Listed& one = *std::ranges::find(mine, x, &Listed::entry);
  const auto same = std::ranges::find(theirs, one.unique, &Listed::unique);
  return {{{x, same == theirs.end() ? &b.field(options.field, options.index) : same->entry, one.label}}, {}};
}

Pairing pair_fields(const Catalog& a, const Catalog& b, const DiffOptions& options) {
  a.require_sound();
  b.require_sound();
  for (const Catalog* catalog : {&a, &b}) {
    if (catalog->fields.empty()) (void)catalog->field();  // throws an error that lists the existing fields
  }
  const bool is_one = !options.field.empty() || options.index > 0;
  Pairing pairing = is_one ? pair_one(a, b, options) : pair_all(a, b);
  for (const Pair& pair : pairing.pairs) require_comparable(a, *pair.x, b, *pair.y);
  return pairing;
}

// Local. This rank's part of two fields.
Extreme compare_part(io::ScannedFile& one, const FieldEntry& x, io::ScannedFile& other, const FieldEntry& y,
                     const Communicator& communicator, const DiffOptions& options, int threads) {
  const io::PayloadFiles files_a(one.files(), one.catalog(), x.payload),
      files_b(other.files(), other.catalog(), y.payload);
  comm::Team team(files_a.are_thread_safe() && files_b.are_thread_safe() ? threads : 1);
  const io::PairedBoxes boxes(
      x.payload, y.payload, blocks_of_either(x.payload, y.payload),
      io::tile_bytes / (x.payload.spec.numbers * sizeof(double)),
      {static_cast<std::uint64_t>(communicator.size()), static_cast<std::uint64_t>(communicator.rank())}, team.size());
  std::vector<Extreme> seen(static_cast<std::size_t>(team.size()));
  std::atomic<std::uint64_t> done{0};
  comm::parallel_for(team, boxes.items(), [&](int thread, std::uint64_t item) {
    boxes.for_each_box(item, [&](const Box& box) {
      compare_box(x.payload, box, io::read_box(files_a.sequence(), x.payload, box),
                  io::read_box(files_b.sequence(), y.payload, box), options.tolerance,
                  seen[static_cast<std::size_t>(thread)]);
    });
    const std::uint64_t now = ++done;
    if (options.progress && thread == 0 && communicator.is_root()) options.progress(now, boxes.items());
  });
  Extreme extreme;
  for (const Extreme& of_thread : seen) combine(extreme, of_thread);
  return extreme;
}

// Adds the result for one more field; the largest difference of all is reported with its place.
void add(Difference& result, const Pair& pair, const Extreme& extreme, bool names_field) {
  const bool is_largest = result.fields.empty() || extreme.absolute > result.largest_absolute;
  result.fields.push_back(pair.label);
  result.same = result.same && extreme.differing == 0;
  result.largest_relative = std::max(result.largest_relative, extreme.relative);
  result.differing_numbers += extreme.differing;
  result.compared_numbers += extreme.compared;
  for (std::string& sentence : metadata_differences(*pair.x, *pair.y)) {
    result.metadata.push_back(names_field ? fmt::format("\"{}\": {}", pair.label, sentence) : std::move(sentence));
  }
  if (!is_largest) return;
  result.field = pair.label;
  result.largest_absolute = extreme.absolute;
  result.site = lattice::site_of_rank(extreme.rank, pair.x->payload.extents);
  result.number = extreme.number;
  result.a = extreme.a;
  result.b = extreme.b;
}

}  // namespace

Difference diff(const std::string& a, const std::string& b, const Communicator& communicator,
                const DiffOptions& options) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, [&] { return options::stated("DiffOptions", options); });
  const auto one = io::ScannedFile::open(storage::resolve(a), a, communicator, options.limits);
  const auto other = io::ScannedFile::open(storage::resolve(b), b, communicator, options.limits);
  one->open_everywhere();
  other->open_everywhere();
  const int threads =
      comm::thread_count(comm, options.threads, std::min(one->catalog().file_bytes, other->catalog().file_bytes));
  Pairing pairing = comm::agree(comm, [&] { return pair_fields(one->catalog(), other->catalog(), options); });
  Difference result;
  for (const Pair& pair : pairing.pairs) {
    Extreme extreme =
        comm::agree(comm, [&] { return compare_part(*one, *pair.x, *other, *pair.y, communicator, options, threads); });
    extreme = reduce(comm, extreme);
    comm::agree_alike(comm, [&] { add(result, pair, extreme, pairing.pairs.size() > 1); });
  }
  result.same = result.same && pairing.unpaired.empty();
  result.unpaired = std::move(pairing.unpaired);
  return result;
}

}  // namespace lq
