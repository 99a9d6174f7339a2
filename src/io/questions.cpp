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
#include "format/format.hpp"
#include "io/local_box.hpp"
#include "io/scan.hpp"

namespace lq {

Catalog inspect(const std::string& path, const Communicator& communicator, const Limits& limits) {
  const auto file = io::ScannedFile::open(transport::resolve(path), path, communicator, limits);
  return comm::agree_alike(communicator.engine(), [&] { return file->catalog(); });
}

std::vector<Finding> validate(const std::string& path, const Limits& limits) {
  const std::unique_ptr<transport::File> file = transport::resolve(path).open_read(path);
  const format::Container& container = *format::recognise(*file).container;
  return container.validate(*file, container.scan(*file, limits));
}

std::vector<Annotation> explain(const std::string& path, const Limits& limits) {
  const std::unique_ptr<transport::File> file = transport::resolve(path).open_read(path);
  const format::Container& container = *format::recognise(*file).container;
  return container.explain(*file, container.scan(*file, limits));
}

std::vector<double> read_site(const std::string& path, const Coord& site, const ReadOptions& options) {
  const std::unique_ptr<transport::File> file = transport::resolve(path).open_read(path);
  const Catalog catalog = format::scan(*file, options.limits);
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
