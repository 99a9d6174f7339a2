// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to a file that need no data pump of their own: what is in it, does it keep to its specification, what
// does each byte mean, the numbers of a site.

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "comm/agree.hpp"
#include "comm/alone.hpp"
#include "format/component.hpp"
#include "format/format.hpp"
#include "io/build_table.hpp"  // made by CMake
#include "io/journal.hpp"
#include "io/scan.hpp"
#include "io/verify.hpp"
#include "kernels/crc32.hpp"
#include "kernels/dispatch.hpp"

namespace lq {

Catalog inspect(const std::string& path, const Communicator& communicator, const Limits& limits) {
  const auto file = io::ScannedFile::open(storage::resolve(path), path, communicator, limits);
  return comm::agree_alike(communicator.engine(), [&] { return file->catalog(); });
}

namespace {

// A question to the container of a file, whose headers are read once for scan and answer.
template <class Answer>
Answer ask(Answer (format::Container::*question)(base::ByteSource&, const Catalog&) const, const std::string& path,
           const Limits& limits) {
  storage::Transport& transport = storage::resolve(path);
  Answer answer;
  const auto ask_of = [&](storage::File& file) {
    base::CachedSource cached(file);
    const format::Container& container = *format::recognise(cached).container;
    answer = (container.*question)(cached, container.scan(cached, limits));
  };
  try {
    io::read_undisturbed(transport, transport.open_read(path),
                         [&](storage::File& file, const io::FoundJournal&) { ask_of(file); });
  } catch (const Error& error) {
    if (error.code() != Code::unknown_format) throw;
    // A description of a set of subfiles means the file that these make; of others this says what they are.
    const auto whole = io::ScannedFile::open(transport, path, {}, limits);
    ask_of(*whole->files().open_read(path));
  }
  return answer;
}

}  // namespace

std::vector<Finding> io::broken_rules(const std::string& path, const Limits& limits) {
  return ask(&format::Container::validate, path, limits);
}

std::vector<Annotation> explain(const std::string& path, const Limits& limits) {
  return comm::alone([&] { return ask(&format::Container::explain, path, limits); });
}

std::vector<double> read_site(const std::string& path, const Coord& site, const ReadOptions& options) {
  return comm::alone([&] { return lq::open(path, {}, options.limits).read_site(site, options); });
}

// What the library was built with. The table is made by CMake (cmake/Dependencies.cmake), which also prints it.

std::vector<BuildPart> build_parts() {
  std::vector<BuildPart> parts = {
      {"compiler", true, build_table::compiler},
      {"kernels", true, fmt::format("{}, CRC-32 by {}", kernels::instruction_set_name(), kernels::crc32_provider())}};
  for (const build_table::Row& row : build_table::rows) {
    BuildPart part{std::string(row.name), row.is_present, std::string(row.note)};
    if (auto why = part.is_present ? format::absence_of(row.component) : std::nullopt) {
      part.is_present = false;
      part.note = std::move(*why);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace lq
