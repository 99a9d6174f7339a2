// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Questions to a file that need no data pump of their own: what is in it, does it keep to its specification, what
// does each byte mean, the bytes of a record, the numbers of a site.
#include <fmt/format.h>

#include <algorithm>

#include <limequat/error.hpp>
#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "format/format.hpp"
#include "io/local_box.hpp"
#include "io/scan.hpp"
#include "pump/block.hpp"

namespace lq {

namespace {

constexpr std::uint64_t piece_bytes = 1024 * 1024;

void read_stretch(base::ByteSource& file, const format::Stretch& stretch,
                  const std::function<void(const void* data, std::uint64_t bytes)>& sink) {
  std::vector<std::byte> bytes;
  for (std::uint64_t done = 0; done < stretch.length; done += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min(piece_bytes, stretch.length - done)));
    pump::read_whole(file, stretch.offset + done, bytes);
    sink(bytes.data(), bytes.size());
  }
}

}  // namespace

Catalog inspect(const std::string& path, const Communicator& communicator, const Limits& limits) {
  return io::scan_file(transport::posix(), path, communicator, limits);
}

std::vector<Finding> validate(const std::string& path, const Limits& limits) {
  const std::unique_ptr<transport::File> file = transport::posix().open_read(path);
  const format::Format& format = format::recognise(*file);
  return format.validate(*file, format.scan(*file, limits));
}

std::vector<Annotation> explain(const std::string& path, const Limits& limits) {
  const std::unique_ptr<transport::File> file = transport::posix().open_read(path);
  const format::Format& format = format::recognise(*file);
  return format.explain(*file, format.scan(*file, limits));
}

void read_record(const std::string& path, std::string_view type, std::uint64_t index,
                 const std::function<void(const void* data, std::uint64_t bytes)>& sink, const Limits& limits) {
  const std::unique_ptr<transport::File> file = transport::posix().open_read(path);
  const format::Format& format = format::recognise(*file);
  const Catalog catalog = format.scan(*file, limits);
  const Record& record = catalog.record(type, index);
  std::unique_ptr<base::ByteSource> other;  // a physical file beside the one that was named
  for (const format::Stretch& stretch : format.stretches(*file, catalog, record)) {
    const auto number = static_cast<std::size_t>(stretch.file);
    const std::string& holder = catalog.files.empty() ? file->path() : catalog.files.at(number);
    if (holder == file->path()) {
      read_stretch(*file, stretch, sink);
    } else {
      if (!other || other->path() != holder) other = file->open_other(holder);
      read_stretch(*other, stretch, sink);
    }
  }
}

std::vector<double> read_site(const std::string& path, const Coord& site, const ReadOptions& options) {
  const std::unique_ptr<transport::File> file = transport::posix().open_read(path);
  const Catalog catalog = format::recognise(*file).scan(*file, options.limits);
  const FieldEntry& entry = catalog.field(options.field, options.index);
  const Payload& payload = entry.payload;
  if (site.size() != payload.extents.size() || !payload.stored.contains(site)) {
    throw Error(Code::invalid_argument,
                fmt::format("{}: there is no site {}: \"{}\" lives on {}, coordinates count from 0", path,
                            site_text(site), entry.name, to_string(payload.extents)),
                {.path = path, .record = entry.name});
  }
  return io::read_box(*file, payload, {site, Coord::filled(site.size(), 1)});
}

}  // namespace lq
