// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A description of how the memory of an application holds the sites of a rank: even-odd order, halos, arrays for each
// direction, rows and columns exchanged, lanes of SIMD vectors, blocks of QUDA, or the application's own table of
// places. A field with such a description is written, read and measured like any other; no function is called for its
// sites.
//
//   lq::write("conf.lime", grid, lq::gauge(links, {.memory = lq::memory_layout("milc")}));
//   lq::write("conf.lime", grid, lq::gauge_in_arrays(pointers, 3, lq::memory_layout("quda_host")));
//
// Names and words of the text form: docs/guide/memory.md.
#pragma once

#include <limequat/language.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/lattice.hpp>

namespace lq {

// Which sites come first, by the sum of their global coordinates, or which sites exist at all. The sites of a parity
// are in the order of all sites: number k of them is one of the sites 2k and 2k + 1 of the box.
enum class ParityOrder : int { none = 0, even_first = 1, odd_first = 2, even_only = 3, odd_only = 4 };

// The places of the links of a gauge field in memory.
enum class LinkPlaces : int {
  in_site = 0,    // adjacent in each site
  outermost = 1,  // all sites of a direction, then the next direction; with parities, within each of them
  in_arrays = 2,  // one array for each direction: the field's `data` points to one pointer for each
};

// Says if the application's own table gives the places of sites or links, because no rule does (openQCD, HiRep).
enum class PlaceTable : int {
  none = 0,
  of_sites = 1,  // entry i: the place, counted in sites, of site number i in `order`
  of_links = 2,  // entry i * links + k: the place, counted in links, of link k in `directions` of site number i
};

// Says if numbers are in half precision, that is 16-bit integers with a norm for each site: number = integer * norm,
// where the norm, in single precision, is the largest magnitude of the site's numbers divided by 32767.
enum class NormPlaces : int {
  none = 0,
  in_array = 1,  // the field's `data` points to pointers: to the numbers (of each direction), then to the norms
};

// Dimensions are those of the lattice, x = 0. Members that are not set describe plain memory.
struct LQ_API MemoryLayout {
  SiteOrder order = {};  // of the sites, fastest dimension first; empty: x first
  ParityOrder parity = ParityOrder::none;
  std::vector<std::uint64_t> halo = {};  // omitted sites on either side of each dimension; not with parities
  LinkPlaces links = LinkPlaces::in_site;
  std::vector<int> directions = {};       // of the links, in their order; empty: x first
  bool columns_first = false;             // the numbers of a color matrix by columns instead of by rows
  std::vector<std::uint64_t> lanes = {};  // of a SIMD vector along each dimension; each has a block of the rank's sites
  std::uint64_t block = 0;                // contiguous numbers of a site, before those of the next site; 0: all
  std::uint64_t padding = 0;              // unused sites after the sites of each parity (QUDA's pad)
  NormPlaces norms = NormPlaces::none;    // of half precision; for all callers the field has single precision
  // A table with `table_entries` entries, borrowed like the memory itself; no two are equal.
  PlaceTable places = PlaceTable::none;
  const std::uint64_t* table = nullptr;
  std::uint64_t table_entries = 0;

  // Set by Limequat when the grid of a field is known: the parity of the first site of the rank's box.
  int corner_parity = 0;

  bool is_plain() const noexcept {
    return order.empty() && parity == ParityOrder::none && halo.empty() && links == LinkPlaces::in_site &&
           directions.empty() && !columns_first && lanes.empty() && block == 0 && padding == 0 &&
           norms == NormPlaces::none && places == PlaceTable::none && table == nullptr;
  }
  friend bool operator==(const MemoryLayout&, const MemoryLayout&) = default;
};

// Local. From text: a preset, words that change it, or both, as in "quda_native block=4 padding=64". Presets:
// "quda_host", "quda_native", "milc", "openqcd", "hirep", "tmlqcd", "qdp", "grid"; memory_presets() returns all.
// Words: order=, parity=, halo=, links=, directions=, matrix=, lanes=, block=, padding=, norms=, places=.
// invalid_argument names a word that is neither.
LQ_API MemoryLayout memory_layout(std::string_view text);
// Local. The same with the table for places=, which must outlive the field.
inline MemoryLayout memory_layout(std::string_view text, std::span<const std::uint64_t> table) {
  MemoryLayout layout = memory_layout(text);
  layout.table = table.data();
  layout.table_entries = table.size();
  return layout;
}
// Local. The text from which memory_layout() makes the same layout; empty for plain memory.
LQ_API std::string to_string(const MemoryLayout& layout);

struct LQ_API MemoryPreset {
  std::string_view name, words, about;
};
LQ_API const std::vector<MemoryPreset>& memory_presets();

}  // namespace lq
