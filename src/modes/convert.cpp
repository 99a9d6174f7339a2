// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Copies modes of one set into another; from Limequat's own sets, the next one is read while one is written.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "format/format.hpp"
#include "modes/new_set.hpp"
#include "modes/source.hpp"

namespace lq::modes {

namespace {

// One or several vectors of this rank, in either precision.
class Buffers {
 public:
  Buffers(std::size_t count, const FieldSpec& spec, const Grid& grid) : numbers_(count) {
    const std::uint64_t bytes =
        base::multiply_or_throw(std::max<std::uint64_t>(grid.local_volume(), 1), spec.site_bytes(), "a vector");
    for (std::vector<double>& one : numbers_) {
      one.resize(static_cast<std::size_t>(bytes / sizeof(double) + 1));
      fields_.push_back({.spec = spec, .data = one.data(), .available = bytes / spec.number_bytes()});
    }
  }
  const std::vector<MutableField>& fields() const noexcept { return fields_; }

 private:
  std::vector<std::vector<double>> numbers_;
  std::vector<MutableField> fields_;
};

WriteOptions how_of(const ConvertOptions& options) {
  WriteOptions how;
  how.overwrite = options.overwrite;
  how.route = options.route;
  return how;
}

void add_modes(const Set& source, std::uint64_t last, NewSet& set, const Grid& grid, const ConvertOptions& options,
               Report& report) {
  const FieldSpec memory = source.description().field();
  std::vector<MutableField> fields;
  const auto buffers = comm::agree(grid.communicator().engine(), [&] {
    auto made = std::make_unique<Buffers>(2, memory, grid);
    fields = made->fields();
    return made;
  });
  ReadAhead arriving = source.read_ahead(options.first, last, grid, std::move(fields));
  while (const auto arrival = arriving.next()) {
    add_to(grid.communicator().engine(), report,
           set.append(buffers->fields()[arrival->buffer], source.mode(arrival->index)));
  }
}

// As many vectors at a time as memory allows: QUDA's are read from the beginning to the end each time.
void add_vectors(const Set& source, const Source& foreign, std::uint64_t last, NewSet& set, const Grid& grid,
                 const ConvertOptions& options, Report& report) {
  comm::Comm& comm = grid.communicator().engine();
  const FieldSpec memory = source.description().field();
  constexpr std::uint64_t memory_bytes = 64ULL << 20;  // of each rank
  std::array<std::uint64_t, 1> most{
      std::max<std::uint64_t>(memory_bytes / std::max<std::uint64_t>(grid.local_volume() * memory.site_bytes(), 1), 1)};
  comm.all_reduce(most, comm::Reduce::min);
  const std::uint64_t count = std::max<std::uint64_t>(std::min(most[0], last - options.first), 1);
  const auto buffers =
      comm::agree(comm, [&] { return std::make_unique<Buffers>(static_cast<std::size_t>(count), memory, grid); });
  for (std::uint64_t k = options.first; k < last; k += count) {
    const std::span held(buffers->fields().data(), static_cast<std::size_t>(std::min(count, last - k)));
    foreign.read(k, grid, held, {});
    for (std::size_t j = 0; j < held.size(); ++j) add_to(comm, report, set.append(held[j], source.mode(k + j)));
  }
}

// Only parts of the files of compressed vectors are read, but the checksums cover all their bytes.
void require_whole(const Compressed& compressed, comm::Comm& comm) {
  const std::vector<Finding> wrong = compressed.verify(comm);
  if (wrong.empty()) return;
  throw Error(wrong.front().code, wrong.front().message,
              {.expected = wrong.front().expected, .found = wrong.front().found});
}

bool is_own(const std::string& format) { return format.empty() || format == "modes"; }

}  // namespace

std::uint64_t convert(const std::string& from, const std::string& to, const Communicator& communicator,
                      const ConvertOptions& options, Report* report) {
  comm::Comm& comm = communicator.engine();
  const Set source(from, communicator, {}, options.unsaid);
  const std::uint64_t last = std::min(options.last, source.size());
  Description description;
  WriteOptions how;
  Origin origin;
  Report all;
  comm::require_same(comm, [&] {
    origin.path = source.file_count() > 0 ? source.file(0).catalog().path : from;
    for (std::uint64_t k = 0; k < source.file_count(); ++k) {
      const Catalog& catalog = source.file(k).catalog();
      catalog.require_sound();
      for (const auto& [name, text] : catalog.metadata) {
        if (name == format::unproven_text) origin.unproven.push_back(text);
      }
    }
    if (options.first > last || (options.first > 0 && options.first >= source.size())) {
      base::fail(Code::no_such_record, from, "mode {} does not exist; the set has {} modes, numbered from 0",
                 options.first, source.size());
    }
    description = source.description();
    description.storage = options.storage.value_or(description.storage);
    description.coherence = options.coherence.value_or(Coherence{});
    how = how_of(options);
    return std::vector<comm::StatedArgument>{
        {"how the set is converted",
         fmt::format("modes {} to {}, {}, overwrite {}, format {}, strategy {}", options.first, last,
                     name(options.storage.value_or(source.description().storage)), options.overwrite, options.format,
                     lq::name(options.route.strategy))}};
  });
  if (const Source* const foreign = SetAccess::foreign(source); foreign && foreign->compressed()) {
    require_whole(*foreign->compressed(), comm);
  }
  if (!is_own(options.format)) {
    export_set(source, to, communicator, options.first, last, options, all);
    comm::agree(comm, [&] {
      for (const std::string& text : origin.unproven) {
        all.warnings.push_back(
            fmt::format("{}: the source was repaired, and says: {}. The format \"{}\" has no place "
                        "for that",
                        to, text, options.format));
      }
    });
    if (report != nullptr) *report = std::move(all);
    return last - options.first;
  }
  const Grid grid(communicator, description.sites());
  NewSet set(to, grid, description, how, origin);
  if (const Source* const foreign = SetAccess::foreign(source)) {
    add_vectors(source, *foreign, last, set, grid, options, all);
  } else {
    add_modes(source, last, set, grid, options, all);
  }
  set.publish(all);
  if (report != nullptr) *report = std::move(all);
  return last - options.first;
}

}  // namespace lq::modes
