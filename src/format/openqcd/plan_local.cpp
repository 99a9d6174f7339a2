// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/openqcd/plan_local.hpp"

#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/text.hpp"
#include "format/flat/binary_header.hpp"
#include "format/flat/flat.hpp"
#include "format/openqcd/kinds.hpp"
#include "format/openqcd/local.hpp"

namespace lq::format::openqcd {
namespace {

constexpr std::string_view layout_name = "local";
constexpr std::uint64_t words_of_header = 17, smallest_local = 4;

// Behind the name of the layout, how the threads of openQCD share a process: "local:2x1x1x1".
Extents threads_of(const std::string& layout) {
  if (layout == layout_name) return Coord::filled(4, 1);
  return parse_extents(layout.substr(layout_name.size() + 1));
}

[[noreturn]] void refuse_order(const Extents& local, const Extents& threads) {
  throw Error(Code::unsupported,
              fmt::format("openQCD keeps the points of a process of {}, shared by threads as {}, in blocks of odd or "
                          "unlike extents, or gives a thread less than 4 points in a direction; such local files are "
                          "not written: take another process grid, or the exported form",
                          to_string(local), to_string(threads)));
}

LocalOrder order_of(const Extents& local, const Extents& threads) {
  for (int d = 0; d < 4; ++d) {
    const bool fits = threads.size() == 4 && threads[d] >= 1 && local[d] % threads[d] == 0 &&
                      local[d] / threads[d] % 2 == 0 && local[d] / threads[d] >= std::int64_t{smallest_local};
    if (!fits) refuse_order(local, threads);
  }
  auto order = order_of_threads(local, threads);
  if (!order) refuse_order(local, threads);
  return *std::move(order);
}

std::string header_of(const LocalPlace& place) {
  flat::HeaderWriter header(ByteOrder::little);
  const std::array<int, 4> t_first{3, 0, 1, 2};
  for (const Extents* four : {&place.processes, &place.local, &place.blocks, &place.at}) {
    for (const int d : t_first) header.integer((*four)[d]);
  }
  header.integer(place.threads);
  return header.real(0).bytes();
}

LocalPlace place_of(const Parts& parts, const Extents& threads) {
  LocalPlace place;
  place.local = parts.block();
  place.processes = parts.extents();
  for (int d = 0; d < 4; ++d) place.processes[d] /= place.local[d];
  place.blocks = Coord::filled(4, 1);
  place.threads = static_cast<std::int64_t>(volume(threads));
  place.sum_at = 4 * words_of_header;
  return place;
}

}  // namespace

bool is_local(const FieldRequest& request) {
  const std::string& layout = request.choices.layout;
  if (layout.empty() || layout == "exported") return false;
  if (layout == layout_name || layout.starts_with(fmt::format("{}:", layout_name))) return true;
  throw Error(Code::invalid_argument,
              fmt::format("there is no layout \"{}\" of openQCD files; there are exported, local, and local:2x1x1x1 "
                          "with how openQCD's threads share a process",
                          base::printable(layout)),
              {.expected = "exported, local", .found = base::printable(layout)});
}

Layout plan_local(const FieldRequest& request) {
  const auto parts = Parts::of(request);
  if (!parts) {
    throw Error(Code::invalid_argument,
                "local files of openQCD are one for each of its processes: tell the process grid with parts, such as "
                "2x2x1x4");
  }
  const Extents threads = threads_of(request.choices.layout);
  LocalPlace place = place_of(*parts, threads);
  Payload payload = payload_of(request.extents, Kind::gauge);
  place_local(payload, place, order_of(place.local, threads));
  flat::set_length(payload);
  Layout layout;
  layout.suffixes.clear();
  for (std::uint64_t k = 0; k < parts->count(); ++k) {
    const Coord lower = parts->lower(k, site_order());
    place.at = lower;
    for (int d = 0; d < 4; ++d) place.at[d] /= place.local[d];
    layout.suffixes.push_back(fmt::format("_{}", k));
    layout.head.push_back(flat::literal_at(0, header_of(place)));
    layout.head.back().file = static_cast<int>(k);
    layout.plaquettes_of.push_back({lower, place.local});
    layout.end.push_back(place.bytes());
  }
  layout.payload = {std::move(payload)};
  layout.tail = [at = place.sum_at](const Digest& digest) {
    std::vector<Literal> literals;
    for (const double sum : digest.plaquette_sums) {
      literals.push_back(flat::literal_at(at, flat::HeaderWriter(ByteOrder::little).real(3 * sum).bytes()));
      literals.back().file = static_cast<int>(literals.size()) - 1;
    }
    return literals;
  };
  return layout;
}

}  // namespace lq::format::openqcd
