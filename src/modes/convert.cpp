// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes of one set into another: the next one is read while one is written.
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include <limequat/error.hpp>

#include "base/checked.hpp"
#include "comm/agree.hpp"
#include "modes/new_set.hpp"

namespace lq::modes {

std::uint64_t convert(const std::string& from, const std::string& to, const Communicator& communicator,
                      const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  const Set source(from, communicator);
  const std::uint64_t last = std::min(options.last, source.size());
  comm::require_same(comm, [&] {
    source.file().catalog().require_sound();
    if (options.first > last) {
      throw Error(
          Code::no_such_record,
          fmt::format("{}: there is no mode {}: the set has {}, counted from 0", from, options.first, source.size()),
          {.path = from});
    }
    return std::vector<comm::Stated>{
        {"how the set is converted",
         fmt::format("modes {} to {}, {}, overwrite {}", options.first, last,
                     name(options.storage.value_or(source.description().storage)), options.overwrite)}};
  });
  Description description = source.description();
  description.storage = options.storage.value_or(description.storage);
  const FieldSpec memory = source.description().field();
  const Grid grid(communicator, description.sites());
  std::array<std::vector<double>, 2> numbers;  // of either precision
  std::vector<MutableField> buffers;
  comm::agree(comm, [&] {
    const std::uint64_t bytes =
        base::multiply_or_throw(std::max<std::uint64_t>(grid.local_volume(), 1), memory.site_bytes(), "a vector");
    for (std::vector<double>& one : numbers) {
      one.resize(static_cast<std::size_t>(bytes / sizeof(double) + 1));
      buffers.push_back({.spec = memory, .data = one.data(), .available = bytes / memory.number_bytes()});
    }
  });
  ReadAhead arriving = source.read_ahead(options.first, last, grid, buffers);
  WriteOptions how;
  how.overwrite = options.overwrite;
  NewSet set(to, grid, description, how);
  while (const auto arrival = arriving.next()) {
    set.append(buffers[arrival->buffer], source.mode(arrival->index));
  }
  set.publish();
  return last - options.first;
}

}  // namespace lq::modes
