// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench.hpp"

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
  throw UsageError(fmt::format("--alignment: \"{}\" is no number of bytes", text));
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
  std::vector<WriteOptions> all;
  for (const std::string& format : at_least_one(formats)) {
    for (const std::string& layout : at_least_one(layouts)) {
      for (const std::string& chunk : at_least_one(chunks)) {
        for (const std::string& filter : at_least_one(filters)) {
          for (const std::string& alignment : at_least_one(alignments)) {
            WriteOptions way;
            way.format = !format.empty() ? format : dimensions == 4 ? "ildg" : "scidac";
            const bool is_hdf5 = way.format == "hdf5";
            if (is_hdf5) way.layout = layout;
            if (is_hdf5 && chunk != "none") way.dataset_chunk = chunk;
            if (is_hdf5 && filter != "none") way.filters = filter;
            way.route.alignment = bytes_of(alignment);
            // Filters need chunks; formats that know one way are measured once.
            const bool repeated =
                !is_hdf5 && (layout != at_least_one(layouts).front() || chunk != at_least_one(chunks).front() ||
                             filter != at_least_one(filters).front());
            if (repeated || (!way.filters.empty() && way.dataset_chunk.empty())) continue;
            all.push_back(std::move(way));
          }
        }
      }
    }
  }
  if (all.empty()) throw UsageError("--filters: filters work on chunks; give --dataset-chunk, too");
  return all;
}

std::string layout_text(const WriteOptions& options) {
  std::string text = options.layout;
  const auto add = [&](const std::string& more) { text += fmt::format("{}{}", text.empty() ? "" : ", ", more); };
  if (!options.dataset_chunk.empty()) add("chunks " + options.dataset_chunk);
  if (!options.filters.empty()) add(options.filters);
  return text;
}

}  // namespace lq::cli
