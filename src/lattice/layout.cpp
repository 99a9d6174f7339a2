// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptions of memory as text.
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limequat/memory.hpp>

#include "base/error.hpp"

namespace lq {
namespace {

using Words = std::array<std::string_view, 5>;
constexpr Words parities{"none", "even-first", "odd-first", "even-only", "odd-only"};
constexpr std::array<std::string_view, 3> link_places{"in-site", "outermost", "in-arrays"};
constexpr std::array<std::string_view, 3> tables{"by-rule", "of-sites", "of-links"};
constexpr std::array<std::string_view, 2> matrices{"rows", "columns"};
constexpr std::array<std::string_view, 2> norm_places{"none", "in-array"};

[[noreturn]] void refuse_layout(std::string_view word, const std::string& why) {
  base::fail(Code::invalid_argument, {}, "description of memory, \"{}\": {}", word, why);
}

template <class Names>
int choice(std::string_view word, std::string_view value, const Names& names) {
  const auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end()) refuse_layout(word, fmt::format("expected one of {}", fmt::join(names, ", ")));
  return static_cast<int>(found - names.begin());
}

template <class Number>
Number number(std::string_view word, std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || value < 0) {
    refuse_layout(word, fmt::format("\"{}\" is not a number of sites, dimensions or numbers", text));
  }
  return value;
}

template <class Number>
std::vector<Number> numbers(std::string_view word, std::string_view text) {
  std::vector<Number> all;
  while (true) {
    const std::size_t comma = text.find(',');
    all.push_back(number<Number>(word, text.substr(0, comma)));
    if (comma == std::string_view::npos) return all;
    if (all.size() == max_dimensions) refuse_layout(word, fmt::format("more than {} numbers", max_dimensions));
    text.remove_prefix(comma + 1);
  }
}

void read_word(MemoryLayout& layout, std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) {
    std::vector<std::string_view> names;
    for (const MemoryPreset& preset : memory_presets()) names.push_back(preset.name);
    refuse_layout(word, fmt::format("no such preset; known are {}", fmt::join(names, ", ")));
  }
  const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "order") {
    layout.order = numbers<int>(word, value);
  } else if (key == "parity") {
    layout.parity = static_cast<ParityOrder>(choice(word, value, parities));
  } else if (key == "halo") {
    layout.halo = numbers<std::uint64_t>(word, value);
  } else if (key == "links") {
    layout.links = static_cast<LinkPlaces>(choice(word, value, link_places));
  } else if (key == "directions") {
    layout.directions = numbers<int>(word, value);
  } else if (key == "matrix") {
    layout.columns_first = choice(word, value, matrices) == 1;
  } else if (key == "lanes") {
    layout.lanes = numbers<std::uint64_t>(word, value);
  } else if (key == "block") {
    layout.block = number<std::uint64_t>(word, value);
  } else if (key == "padding") {
    layout.padding = number<std::uint64_t>(word, value);
  } else if (key == "norms") {
    layout.norms = static_cast<NormPlaces>(choice(word, value, norm_places));
  } else if (key == "places") {
    layout.places = static_cast<PlaceTable>(choice(word, value, tables));
  } else {
    refuse_layout(word,
                  "unknown; known are order=, parity=, halo=, links=, directions=, matrix=, lanes=, block=, padding=, "
                  "norms= and places=");
  }
}

void read_words(MemoryLayout& layout, std::string_view text) {
  constexpr std::string_view spaces = " \t\n";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    if (text.empty()) return;
    const std::string_view word = text.substr(0, text.find_first_of(spaces));
    text.remove_prefix(word.size());
    const auto& presets = memory_presets();
    const auto preset =
        std::find_if(presets.begin(), presets.end(), [&](const MemoryPreset& p) { return p.name == word; });
    if (preset != presets.end()) {
      layout = {};
      read_words(layout, preset->words);
    } else {
      read_word(layout, word);
    }
  }
}

}  // namespace

MemoryLayout memory_layout(std::string_view text) {
  MemoryLayout layout;
  read_words(layout, text);
  return layout;
}

std::string to_string(const MemoryLayout& layout) {
  std::vector<std::string> words;
  if (!layout.order.empty()) words.push_back(fmt::format("order={}", fmt::join(layout.order, ",")));
  if (layout.parity != ParityOrder::none) {
    words.push_back(fmt::format("parity={}", parities[static_cast<std::size_t>(layout.parity)]));
  }
  if (!layout.halo.empty()) words.push_back(fmt::format("halo={}", fmt::join(layout.halo, ",")));
  if (layout.links != LinkPlaces::in_site) {
    words.push_back(fmt::format("links={}", link_places[static_cast<std::size_t>(layout.links)]));
  }
  if (!layout.directions.empty()) words.push_back(fmt::format("directions={}", fmt::join(layout.directions, ",")));
  if (layout.columns_first) words.push_back("matrix=columns");
  if (!layout.lanes.empty()) words.push_back(fmt::format("lanes={}", fmt::join(layout.lanes, ",")));
  if (layout.block != 0) words.push_back(fmt::format("block={}", layout.block));
  if (layout.padding != 0) words.push_back(fmt::format("padding={}", layout.padding));
  if (layout.norms != NormPlaces::none) {
    words.push_back(fmt::format("norms={}", norm_places[static_cast<std::size_t>(layout.norms)]));
  }
  if (layout.places != PlaceTable::none) {
    words.push_back(fmt::format("places={}", tables[static_cast<std::size_t>(layout.places)]));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// Layouts under the names of the codes that use them. Sources: QUDA, gauge_field_order.h and color_spinor_field_order.h
// (QUDA_QDP_GAUGE_ORDER, FloatNOrder with N = 2 for all 18 numbers of a link); MILC, layout_hyper_prime.c (EVENFIRST);
// tmLQCD, geometry_eo.c (g_ipt, z fastest; directions t, x, y, z); QDP++, Layout for checkerboards of two; Grid,
// Lattice_base.h and GridDefaultSimd(); openQCD, README.global (ipt, iup, links at odd points); HiRep, global.h and
// field_ordering.h (ipt, coord_to_index()).

const std::vector<MemoryPreset>& memory_presets() {
  static const std::vector<MemoryPreset> presets{
      {"quda_host", "parity=even-first links=in-arrays",
       "QUDA's host order QUDA_QDP_GAUGE_ORDER: four pointers, even sites first"},
      {"quda_host_spinor", "parity=even-first", "QUDA's host spinors: even sites first, spin before color"},
      {"quda_native", "parity=even-first links=outermost block=2",
       "QUDA's own order of links without reconstruction: pairs of numbers, sites of a parity fastest"},
      {"quda_native_spinor", "parity=even-first block=2",
       "QUDA's own order of spinors in double precision; block=4 in single"},
      {"milc", "parity=even-first", "MILC's sites, or fields of four matrices a site: even sites first"},
      {"tmlqcd", "order=2,1,0,3 directions=3,0,1,2", "tmLQCD's g_gauge_field: z fastest, directions t, x, y, z"},
      {"tmlqcd_spinor", "order=2,1,0,3", "tmLQCD's spinors in lexicographic order: z fastest"},
      {"openqcd", "order=2,1,0,3 directions=3,0,1,2 places=of-links",
       "openQCD's udfld(): eight links at each odd point, by a table made of ipt and iup"},
      {"openqcd_spinor", "order=2,1,0,3 places=of-sites", "openQCD's spinors, by its ipt as the table"},
      {"hirep", "order=2,1,0,3 directions=3,0,1,2 places=of-sites",
       "HiRep's u_gauge: directions t, x, y, z, sites by its ipt(t,x,y,z) as the table"},
      {"hirep_spinor", "order=2,1,0,3 places=of-sites", "HiRep's spinors, by its ipt(t,x,y,z) as the table"},
      {"qdp", "parity=even-first links=in-arrays", "QDP++'s multi1d<LatticeColorMatrix>: an array for each direction"},
      {"qdp_spinor", "parity=even-first", "QDP++'s LatticeFermion and LatticePropagator"},
      {"grid", "lanes=1,1,1,2", "Grid's lattices with vectors of two complex numbers; lanes= for longer ones"},
  };
  return presets;
}

}  // namespace lq
