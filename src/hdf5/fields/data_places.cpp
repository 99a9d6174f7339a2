// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hdf5/fields/data_places.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "hdf5/filters/filters.hpp"
#include "hdf5/filters/filters_choice.hpp"

namespace lq::hdf5 {
namespace {

using format::FieldRequest;

constexpr std::uint64_t max_chunks = 1 << 24;

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return base::multiply_or_throw((base::add_or_throw(offset, alignment - 1, "the size of the file")) / alignment,
                                 alignment, "the size of the file");
}

// The sites of a chunk: all, one slice of the slowest dimension, or as given.
Extents chunk_of(const FieldRequest& request, const SiteOrder& order) {
  const std::string& text = request.choices.dataset_chunk;
  Extents chunk = request.extents;
  if (text == "slice") {
    chunk[order.back()] = 1;
    return chunk;
  }
  const Extents given = parse_extents(text);
  bool fits = given.size() == chunk.size();
  for (int d = 0; fits && d < chunk.size(); ++d) fits = given[d] >= 1 && given[d] <= chunk[d];
  if (!fits) {
    throw Error(Code::invalid_argument,
                fmt::format("chunks of {} do not fit a lattice of {}; give extents of a part of it, or \"slice\"",
                            base::printable(text), to_string(request.extents)),
                {.expected = to_string(request.extents), .found = text});
  }
  return given;
}

// Whether the sites of each chunk are contiguous, and nothing is left over.
bool are_runs(const Extents& chunk, const Extents& extents, const SiteOrder& order) {
  std::size_t k = 0;
  while (k < order.size() && chunk[order[k]] == extents[order[k]]) ++k;
  if (k == order.size()) return true;
  if (extents[order[k]] % chunk[order[k]] != 0) return false;
  return std::all_of(order.begin() + static_cast<std::ptrdiff_t>(k) + 1, order.end(),
                     [&](int d) { return chunk[d] == 1; });
}

}  // namespace

void add_chunks(FieldDatasets& field, Payload& payload, const FieldRequest& request) {
  const Extents chunk = chunk_of(request, field.order);
  const std::vector<Filter> filters = parse_filters(request.choices.filters);
  for (DatasetPlan& dataset : field.datasets) {
    dataset.chunk = dataset.extents;
    const std::vector<hsize_t> sites = dataspace_of(chunk, field.order);
    std::copy(sites.begin(), sites.end(), dataset.chunk.begin());
    dataset.filters = filters;
  }
  const bool runs = are_runs(chunk, request.extents, field.order);
  payload.tile_sites = volume(chunk);
  if (!runs) payload.block = chunk;
  if (filters.empty()) return;
  const std::uint64_t number = payload.spec.number_bytes();
  const DatasetPlan& dataset = field.datasets.front();
  std::uint64_t element = dataset.element.is_complex ? 2 * number : number;
  for (const auto& array : dataset.element.arrays) {
    for (const hsize_t extent : array) element *= extent;
  }
  payload.encoding = encoding_of(filters, element);
}

void place_data(Payload& payload, const std::vector<DatasetPlan>& datasets, std::uint64_t first,
                std::uint64_t alignment) {
  first = aligned(first, alignment);
  if (payload.tile_sites == 0 && datasets.size() == 1) {
    payload.offset = first;
    return;
  }
  if (payload.tile_sites == 0) payload.tile_sites = payload.stored.volume();
  payload.arrays = datasets.size();
  const std::uint64_t bytes =
      base::multiply_or_throw(payload.tile_sites, payload.site_bytes() / payload.arrays, "the size of a chunk");
  for (const DatasetPlan& dataset : datasets) {
    const std::uint64_t pieces = pieces_of(dataset);
    if (pieces > max_chunks) {
      throw Error(
          Code::invalid_argument,
          fmt::format("{} chunks are too many; choose larger ones, of which there are at most {}", pieces, max_chunks));
    }
    if (payload.encoding.empty()) first = aligned(first, alignment);
    for (std::uint64_t k = 0; k < pieces; ++k) {
      payload.tiles.push_back({0, first, bytes});
      if (payload.encoding.empty()) first = base::add_or_throw(first, bytes, "the size of the file");
    }
  }
  payload.offset = payload.tiles.front().offset;
}

}  // namespace lq::hdf5
