// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <limequat/inspect.hpp>

#include "cli/exit_code.hpp"

namespace lq::cli {
namespace {

// Nothing asked for: one way, that of the format.
std::vector<std::string> at_least_one(const std::vector<std::string>& asked) {
  return asked.empty() ? std::vector<std::string>{""} : asked;
}

std::uint64_t bytes_of(const std::string& text) {
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (text.empty() || (error == std::errc() && end == text.data() + text.size())) return bytes;
  throw UsageError(fmt::format("--alignment: \"{}\" is not a number of bytes", text));
}

}  // namespace

void BenchStorage::declare(Arguments& arguments) {
  arguments.texts("--format", "FORMAT", formats, "of the file (default: ildg, or scidac); may be repeated");
  arguments.texts("--layout", "NAME", layouts, "of the format hdf5: native, qdp or qlua; may be repeated");
  arguments.texts("--dataset-chunk", "CHUNK", chunks,
                  "of the format hdf5: \"slice\", extents such as 8x8x8x4, or \"none\" (default); may be repeated");
  arguments.texts("--filters", "FILTERS", filters,
                  "of the format hdf5, with chunks: such as shuffle,deflate:6, or \"none\" (default); may be repeated");
  arguments.texts("--alignment", "BYTES", alignments, "where data begin, such as a stripe; may be repeated");
}

std::vector<WriteOptions> BenchStorage::ways(int dimensions) const {
  std::vector<WriteOptions> all(1);
  const auto each = [&](const std::vector<std::string>& asked, const auto& choose) {
    std::vector<WriteOptions> more;
    for (const WriteOptions& way : all) {
      for (const std::string& value : at_least_one(asked)) choose(more.emplace_back(way), value);
    }
    all = std::move(more);
  };
  each(formats, [&](WriteOptions& way, const std::string& format) {
    way.format = !format.empty() ? format : dimensions == 4 ? "ildg" : "scidac";
  });
  each(layouts, [](WriteOptions& way, const std::string& layout) { way.layout = layout; });
  each(chunks, [](WriteOptions& way, const std::string& chunk) { way.dataset_chunk = chunk == "none" ? "" : chunk; });
  each(filters, [](WriteOptions& way, const std::string& filter) { way.filters = filter == "none" ? "" : filter; });
  each(alignments, [](WriteOptions& way, const std::string& alignment) { way.route.alignment = bytes_of(alignment); });
  // Formats that know one way are measured once; filters need chunks.
  std::vector<WriteOptions> possible;
  for (WriteOptions& way : all) {
    if (way.format != "hdf5") way.layout = way.dataset_chunk = way.filters = "";
    const auto is_same = [&](const WriteOptions& other) {
      return other.format == way.format && way.format != "hdf5" && other.route.alignment == way.route.alignment;
    };
    const bool lacks_chunks = !way.filters.empty() && way.dataset_chunk.empty();
    if (lacks_chunks || std::ranges::any_of(possible, is_same)) continue;
    possible.push_back(std::move(way));
  }
  if (possible.empty()) throw UsageError("--filters: filters work on chunks; also give --dataset-chunk");
  return possible;
}

std::string layout_text(const WriteOptions& options) {
  std::string text = options.layout;
  const auto add = [&](const std::string& more) { text += fmt::format("{}{}", text.empty() ? "" : ", ", more); };
  if (!options.dataset_chunk.empty()) add("chunks " + options.dataset_chunk);
  if (!options.filters.empty()) add(options.filters);
  return text;
}

}  // namespace lq::cli
