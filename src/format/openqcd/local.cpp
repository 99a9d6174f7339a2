// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/openqcd/openqcd_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "format/flat/headers.hpp"
#include "lattice/site_order.hpp"

namespace lq::format::openqcd {
namespace {

constexpr std::uint64_t fixed_words = 16, site_bytes_of_links = 576, sum_bytes = 8;
constexpr std::uint64_t most_state_bytes = 16384;  // of random numbers, in versions 1.x and 2.0
constexpr std::int64_t most_extent_of_all = 4096, most_threads = 1024;
constexpr std::uint64_t most_processes = 1'000'000;

template <class Word>
Word load(const std::byte* bytes, ByteOrder order) noexcept {
  return order == ByteOrder::little ? base::load_le<Word>(bytes) : base::load_be<Word>(bytes);
}

double real_in(base::ByteSource& file, std::uint64_t offset, ByteOrder order) {
  std::array<std::byte, 8> bytes{};
  file.read_at(offset, bytes);
  return std::bit_cast<double>(load<std::uint64_t>(bytes.data(), order));
}

// Headers store t, x, y, z.
Coord four_at(base::Bytes start, std::size_t word, ByteOrder order) {
  Coord numbers = Coord::filled(4, 0);
  for (std::size_t k = 0; k < 4; ++k) {
    const int d = k == 0 ? 3 : static_cast<int>(k) - 1;
    numbers[d] = static_cast<std::int32_t>(load<std::uint32_t>(&start[4 * (word + k)], order));
  }
  return numbers;
}

bool is_possible(const LocalPlace& place) {
  for (int d = 0; d < 4; ++d) {
    const std::int64_t processes = place.processes[d], local = place.local[d], block = place.blocks[d];
    const bool fits = processes >= 1 && processes <= most_extent_of_all && local >= 4 && local % 2 == 0 &&
                      local <= most_extent_of_all && block >= 1 && processes % block == 0 && place.at[d] >= 0 &&
                      place.at[d] < processes;
    if (!fits) return false;
  }
  return volume(place.processes) <= most_processes;
}

std::optional<LocalPlace> place_in(base::ByteSource& file, ByteOrder order) {
  std::array<std::byte, 4 * (fixed_words + 1)> start{};
  if (file.read_at(0, start) < start.size()) return {};
  LocalPlace place{order, four_at(start, 0, order), four_at(start, 4, order), four_at(start, 8, order),
                   four_at(start, 12, order)};
  if (!is_possible(place)) return {};
  const std::uint64_t all = 4 * fixed_words + sum_bytes + site_bytes_of_links * volume(place.local);
  if (file.size() < all || file.size() - all > most_state_bytes || (file.size() - all) % 4 != 0) return {};
  const std::uint64_t between = file.size() - all;
  if (between == 4) {
    place.threads = static_cast<std::int32_t>(load<std::uint32_t>(&start[4 * fixed_words], order));
    if (place.threads < 1 || place.threads > most_threads) return {};
  }
  place.sum_at = 4 * fixed_words + between;
  const double most = 18.0 * static_cast<double>(volume(place.local));
  if (!(std::abs(real_in(file, place.sum_at, order)) <= most * 1.5)) return {};  // more at borders
  return place;
}

// Blocks of 4, else 3, else 2 points that divide the extent, in every direction but t, where a block has all.
Extents cache_block(const Extents& all) {
  Extents block = all;
  for (int d = 0; d < 3; ++d) block[d] = all[d] % 4 == 0 ? 4 : all[d] % 3 == 0 ? 3 : all[d] % 2 == 0 ? 2 : 1;
  return block;
}

// False: they are not blocks of that kind.
bool add_blocks(const Extents& all, const Coord& lower, LocalOrder& order) {
  if (volume(all) == 0) return true;
  const Extents block = cache_block(all);
  if (order.block.size() == 0) order.block = block;
  if (block != order.block) return false;
  Extents counts = all;
  for (int d = 0; d < 4; ++d) counts[d] /= block[d];
  for (std::uint64_t k = 0; k < volume(counts); ++k) {
    Coord at = lattice::site_at(k, whole(counts), site_order());
    for (int d = 0; d < 4; ++d) at[d] = lower[d] + at[d] * block[d];
    order.lower.push_back(at);
  }
  return true;
}

std::optional<LocalOrder> if_even(LocalOrder order) {
  for (const std::int64_t extent : order.block) {
    if (extent % 2 != 0) return {};
  }
  return order;
}

// All divisions of the local lattice among the given number of threads, with an even part of at least 4 points each.
std::vector<Extents> ways_of(const Extents& local, std::int64_t threads) {
  std::vector<Extents> ways;
  Extents counts = Coord::filled(4, 1);
  const auto divide = [&](auto&& self, int d, std::int64_t left) -> void {
    if (d < 0) {
      if (left == 1) ways.push_back(counts);
      return;
    }
    for (std::int64_t n = 1; n <= left; ++n) {
      if (left % n != 0 || local[d] % n != 0 || (local[d] / n) % 2 != 0 || local[d] / n < 4) continue;
      counts[d] = n;
      self(self, d - 1, left / n);
    }
  };
  divide(divide, 3, threads);
  return ways;
}

// The links of a file, by point, in one of the orders.
class Links {
 public:
  using Matrix = std::array<std::complex<double>, 9>;

  Links(base::ByteSource& file, const LocalPlace& place, const LocalOrder& order)
      : file_(file), place_(place), block_(order.block) {
    for (std::size_t k = 0; k < order.lower.size(); ++k) numbers_.emplace(key_of(order.lower[k]), k);
  }

  // The mean of Re tr over plaquettes between some odd points x and x + mu + nu; empty: there are none.
  std::optional<double> sampled_plaquette() {
    constexpr std::uint64_t most_points = 96;
    const Box all = whole(place_.local);
    const std::uint64_t points = all.volume(), step = std::max<std::uint64_t>(points / most_points | 1, 1);
    double sum = 0;
    std::uint64_t count = 0;
    for (std::uint64_t k = 0; k < points; k += step) {
      const Coord x = lattice::site_at(k, all, site_order());
      if ((x[0] + x[1] + x[2] + x[3]) % 2 == 0) continue;
      for (int mu = 0; mu < 4; ++mu) {
        for (int nu = 0; nu < mu; ++nu) {
          if (x[mu] + 1 >= place_.local[mu] || x[nu] + 1 >= place_.local[nu]) continue;
          sum += plaquette(x, mu, nu);
          ++count;
        }
      }
    }
    if (count == 0) return {};
    return sum / static_cast<double>(count);
  }

 private:
  static std::array<std::int64_t, 4> key_of(const Coord& x) { return {x[0], x[1], x[2], x[3]}; }

  // Links of an odd point: forward and backward in t, x, y, z.
  Matrix link(const Coord& x, int mu, bool is_forward) {
    Coord lower = x;
    for (int d = 0; d < 4; ++d) lower[d] -= x[d] % block_[d];
    const std::uint64_t number = numbers_.at(key_of(lower));
    std::uint64_t before = 0;  // odd points of the block
    for (std::uint64_t k = 0, end = lattice::site_number(x, {lower, block_}, site_order()); k < end; ++k) {
      const Coord y = lattice::site_at(k, {lower, block_}, site_order());
      before += static_cast<std::uint64_t>((y[0] + y[1] + y[2] + y[3]) % 2);
    }
    const std::uint64_t point = number * volume(block_) / 2 + before;
    const auto direction = static_cast<std::uint64_t>(mu == 3 ? 0 : mu + 1);
    std::array<std::byte, 144> bytes{};
    file_.read_at(place_.data() + (point * 8 + 2 * direction + (is_forward ? 0 : 1)) * bytes.size(), bytes);
    Matrix matrix;
    for (std::size_t k = 0; k < matrix.size(); ++k) {
      const auto real = [&](std::size_t n) {
        return std::bit_cast<double>(load<std::uint64_t>(&bytes[8 * n], place_.order));
      };
      matrix[k] = {real(2 * k), real(2 * k + 1)};
    }
    return matrix;
  }

  double plaquette(const Coord& x, int mu, int nu) {
    Coord far = x;
    ++far[mu];
    ++far[nu];
    const Matrix a = link(x, mu, true), b = link(far, nu, false), c = link(far, mu, false), d = link(x, nu, true);
    std::complex<double> trace = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        std::complex<double> above = 0, below = 0;  // (a b)_ij and (d c)_ij
        for (std::size_t k = 0; k < 3; ++k) {
          above += a[3 * i + k] * b[3 * k + j];
          below += d[3 * i + k] * c[3 * k + j];
        }
        trace += above * std::conj(below);
      }
    }
    return trace.real();
  }

  base::ByteSource& file_;
  const LocalPlace& place_;
  Extents block_;
  std::map<std::array<std::int64_t, 4>, std::uint64_t> numbers_;  // of a block, by its first point
};

std::vector<LocalOrder> orders_of(const LocalPlace& place) {
  std::vector<LocalOrder> orders;
  if (place.threads == 0) {
    if (auto order = order_without_threads(place.local)) orders.push_back(*std::move(order));
    return orders;
  }
  for (const Extents& counts : ways_of(place.local, place.threads)) {
    if (auto order = order_of_threads(place.local, counts)) orders.push_back(*std::move(order));
  }
  return orders;
}

// Among several the one with the largest plaquettes, because in a wrong order unrelated links meet.
LocalOrder order_of(base::ByteSource& file, const LocalPlace& place) {
  std::vector<LocalOrder> orders = orders_of(place);
  if (orders.empty()) {
    base::fail(Code::unsupported, {},
               "openQCD keeps the points of a local lattice {} with {} threads in blocks of odd or different extents, "
               "whose order is not read; let openQCD export the configuration",
               to_string(place.local), place.threads);
  }
  const double stated = real_in(file, place.sum_at, place.order) / (6 * static_cast<double>(volume(place.local)));
  std::size_t best = 0;
  double found = -4;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    const double mean = Links(file, place, orders[k]).sampled_plaquette().value_or(stated);
    if (mean > found) best = k;
    found = std::max(found, mean);
  }
  constexpr double most_deviation = 0.5;  // of the sample's value; a wrong order gives 0
  if (std::abs(found - stated) > most_deviation * std::max(std::abs(stated), 0.05)) {
    base::fail(Code::malformed, {},
               "its plaquettes are wrong in all {} orders that {} threads allow: {:.3f} for a sample, "
               "stated {:.3f}; its points are in another order, or the file is damaged",
               orders.size(), std::max<std::int64_t>(place.threads, 1), found, stated);
  }
  return std::move(orders[best]);
}

// Process by process in the order of coordinates, z fastest.
struct LocalFiles {
  std::vector<std::string> paths;
  double sum = 0;
};

LocalFiles files_of_all(base::ByteSource& file, const LocalPlace& place) {
  const std::uint64_t processes = volume(place.processes);
  const auto names = block_names(file, "_", place.rank(), processes);
  LocalFiles files;
  for (std::uint64_t k = 0; k < processes; ++k) {
    LocalPlace expected = place;
    expected.at = lattice::site_at(k, whole(place.processes), site_order());
    const std::string path = expected.rank() == place.rank() ? file.path() : names(expected.rank());
    std::unique_ptr<base::ByteSource> other;
    try {
      other = file.open_other(path);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      base::fail(Code::truncated, {}, "the file of process {} of {} is missing: {} does not exist; copy the whole set",
                 expected.rank(), processes, path);
    }
    const auto found = look_local(*other);
    const bool is_alike = found && found->processes == place.processes && found->local == place.local &&
                          found->at == expected.at && found->threads == place.threads && found->order == place.order &&
                          found->sum_at == place.sum_at;
    if (!is_alike) {
      base::fail(Code::malformed, {},
                 "{} is not the file of process {} of this set: its header or its size differs; copy it again", path,
                 expected.rank());
    }
    files.sum += real_in(*other, place.sum_at, place.order);
    files.paths.push_back(path);
  }
  return files;
}

}  // namespace

std::uint64_t LocalPlace::rank() const noexcept {
  std::uint64_t of_block = 0, in_block = 0;
  for (const int d : {3, 0, 1, 2}) {
    of_block =
        of_block * static_cast<std::uint64_t>(processes[d] / blocks[d]) + static_cast<std::uint64_t>(at[d] / blocks[d]);
    in_block = in_block * static_cast<std::uint64_t>(blocks[d]) + static_cast<std::uint64_t>(at[d] % blocks[d]);
  }
  return of_block * volume(blocks) + in_block;
}

void place_local(Payload& payload, const LocalPlace& place, const LocalOrder& order) {
  payload.block = order.block;
  payload.tile_sites = volume(order.block);
  const std::uint64_t bytes = payload.tile_sites * site_bytes_of_links;
  Extents counts = payload.extents;
  for (int d = 0; d < 4; ++d) counts[d] /= order.block[d];
  payload.tiles.resize(static_cast<std::size_t>(volume(counts)));
  for (std::uint64_t k = 0; k < volume(place.processes); ++k) {
    const Coord process = lattice::site_at(k, whole(place.processes), site_order());
    for (std::size_t b = 0; b < order.lower.size(); ++b) {
      Coord at = order.lower[b];
      for (int d = 0; d < 4; ++d) at[d] = (process[d] * place.local[d] + at[d]) / order.block[d];
      const std::uint64_t tile = lattice::site_number(at, whole(counts), site_order());
      payload.tiles[static_cast<std::size_t>(tile)] = {static_cast<int>(k), place.data() + b * bytes, bytes};
    }
  }
}

std::optional<LocalOrder> order_without_threads(const Extents& local) {
  LocalOrder order;
  add_blocks(local, Coord::filled(4, 0), order);
  return if_even(std::move(order));
}

std::optional<LocalOrder> order_of_threads(const Extents& local, const Extents& counts) {
  LocalOrder order;
  Extents part = local;
  for (int d = 0; d < 4; ++d) part[d] /= counts[d];
  for (std::uint64_t thread = 0; thread < volume(counts); ++thread) {
    const Coord of_thread = lattice::site_at(thread, whole(counts), site_order());
    for (std::uint64_t half = 0; half < 16; ++half) {
      const Coord upper = lattice::site_at(half, whole(Coord::filled(4, 2)), site_order());
      Extents extents = part;
      Coord lower = of_thread;
      for (int d = 0; d < 4; ++d) {
        const std::int64_t first = part[d] / 2 + part[d] / 2 % 2;
        extents[d] = upper[d] == 0 ? first : part[d] - first;
        lower[d] = of_thread[d] * part[d] + (upper[d] == 0 ? 0 : first);
      }
      if (!add_blocks(extents, lower, order)) return {};
    }
  }
  return if_even(std::move(order));
}

std::optional<LocalPlace> look_local(base::ByteSource& file) {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const auto place = place_in(file, order);
    constexpr int few_links = 64;
    if (place && flat::begins_unitary(file, place->data(), order, 3, few_links)) return place;
  }
  return {};
}

flat::Head local_field(base::ByteSource& file, const LocalPlace& place) {
  flat::HeaderReader header(file, place.order, "formats/openqcd.md 9");
  for (const std::string_view what : {"processes", "sites of a process", "processes of a block", "this process"}) {
    for (const std::string_view direction : {"t", "x", "y", "z"})
      header.integer(fmt::format("{} in {}", what, direction));
  }
  if (place.threads > 0) {
    header.integer("threads");
  } else if (place.sum_at > header.end()) {
    header.text("random numbers", static_cast<std::size_t>(place.sum_at - header.end()));
  }
  header.real("sum of the plaquettes of this process");
  const LocalOrder order = order_of(file, place);
  Extents lattice = place.processes;
  for (int d = 0; d < 4; ++d) lattice[d] *= place.local[d];
  flat::Head head;
  head.payload = payload_of(lattice, Kind::gauge);
  head.payload.byte_order = place.order;
  LocalFiles files = files_of_all(file, place);
  head.plaquette = files.sum / (18 * static_cast<double>(volume(lattice)));
  head.files = std::move(files.paths);
  place_local(head.payload, place, order);
  flat::set_length(head.payload);
  head.parts = header.take();
  return head;
}

}  // namespace lq::format::openqcd
