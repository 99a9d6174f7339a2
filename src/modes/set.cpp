// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set that is read is an open file whose fields are its modes; what is typed comes from the texts of its catalog.
#include <numeric>

#include <fmt/format.h>

#include <limequat/error.hpp>
#include <limequat/modes.hpp>

#include "comm/agree.hpp"
#include "format/modes/index.hpp"

namespace lq::modes {

struct Set::State {
  File file;
  Description description;
  std::vector<Mode> modes;
};

namespace {

Description description_of(const Catalog& catalog) {
  if (catalog.format != "modes") {
    throw Error(
        Code::unknown_format,
        fmt::format("{}: this is no set of modes, but a file of the format \"{}\"", catalog.path, catalog.format),
        {.path = catalog.path, .expected = "modes", .found = catalog.format});
  }
  if (catalog.metadata.empty()) catalog.require_sound();
  Description description = format::modes::decode_description(catalog.metadata.front().second);
  const Record& index = catalog.record(format::modes::type::index);
  const std::uint64_t entry = format::modes::entry_bytes(format::modes::slices_of(description));
  if (index.data_length > format::modes::Block::head_bytes + entry) {
    description.room = (index.data_length - format::modes::Block::head_bytes) / entry;
  }
  return description;
}

// Collective.
ReadOptions options_for(const Set& set, std::uint64_t k, const Grid& grid, const ReadOptions& options) {
  return comm::agree(grid.communicator().engine(), [&] {
    set.mode(k);
    ReadOptions of_mode = options;
    of_mode.field.clear();
    of_mode.index = k;
    return of_mode;
  });
}

}  // namespace

Set::Set(const std::string& path, const Communicator& communicator, const Limits& limits) {
  File file(path, communicator, limits);
  state_ = comm::agree(communicator.engine(), [&] {
    const Catalog& catalog = file.catalog();
    Description description = description_of(catalog);
    std::vector<Mode> modes;
    for (const FieldEntry& field : catalog.fields) modes.push_back(format::modes::mode_of(field.metadata));
    return std::unique_ptr<State>(new State{std::move(file), std::move(description), std::move(modes)});
  });
}
Set::~Set() = default;
Set::Set(Set&&) noexcept = default;
Set& Set::operator=(Set&&) noexcept = default;

const Description& Set::description() const { return state_->description; }
const std::vector<Mode>& Set::modes() const { return state_->modes; }
const File& Set::file() const { return state_->file; }

const Mode& Set::mode(std::uint64_t k) const {
  if (k < size()) return modes()[static_cast<std::size_t>(k)];
  const std::string& path = file().catalog().path;
  throw Error(Code::no_such_record,
              fmt::format("{}: there is no mode {}: the set has {}, counted from 0", path, k, size()),
              {.path = path, .expected = fmt::format("below {}", size()), .found = fmt::format("{}", k)});
}

Report Set::read(std::uint64_t k, const Grid& grid, const MutableField& vector, const ReadOptions& options) const {
  return file().read(grid, vector, options_for(*this, k, grid, options));
}

Pending Set::read_async(std::uint64_t k, const Grid& grid, const MutableField& vector,
                        const ReadOptions& options) const {
  return lq::read_async(file(), grid, vector, options_for(*this, k, grid, options));
}

ReadAhead Set::read_ahead(std::uint64_t first, std::uint64_t last, const Grid& grid, std::vector<MutableField> buffers,
                          const ReadOptions& options) const {
  ReadOptions of_modes;
  std::vector<std::uint64_t> numbers;
  comm::agree(grid.communicator().engine(), [&] {
    if (last > first) mode(last - 1);
    numbers.resize(static_cast<std::size_t>(last > first ? last - first : 0));
    std::iota(numbers.begin(), numbers.end(), first);
    of_modes = options;
    of_modes.field.clear();
  });
  return ReadAhead(state_->file, std::move(numbers), grid, std::move(buffers), of_modes);
}

Mode read(const std::string& path, std::uint64_t k, const Grid& grid, const MutableField& vector,
          const ReadOptions& options) {
  const Set set(path, grid.communicator(), options.limits);
  set.read(k, grid, vector, options);
  return set.mode(k);
}

}  // namespace lq::modes
