// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A small file of one format through which the numbers in a file of another are seen: nothing is copied.
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "comm/agree.hpp"
#include "io/field_writer.hpp"
#include "io/new_file.hpp"
#include "io/scan.hpp"
#include "io/unique_names.hpp"
#include "options/agreed.hpp"

namespace lq {

namespace {

// The program that reads it may be started elsewhere.
std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

std::vector<format::Reference> references_to(const Catalog& catalog, const format::FieldFormat& target) {
  catalog.require_sound();
  if (catalog.fields.empty()) (void)catalog.field();  // says what there is instead
  std::vector<format::Reference> references;
  io::UniqueNames names;
  for (const FieldEntry& entry : catalog.fields) {
    if (catalog.files.size() > 1) {
      throw Error(Code::unsupported, catalog.path + ": fields in several files cannot be shown by another one",
                  {.path = catalog.path, .record = entry.name});
    }
    references.push_back({names.next(entry.name), absolute(catalog.path), entry.payload, entry.sums,
                          target.carried(entry.metadata, false)});
  }
  return references;
}

}  // namespace

void export_virtual(const std::string& from, const std::string& to, const Communicator& communicator,
                    const ConvertOptions& options) {
  comm::Comm& comm = communicator.engine();
  storage::Transport& transport = storage::resolve(to);
  const auto source = io::ScannedFile::open(storage::resolve(from), from, communicator, options.limits);
  auto file = comm::agree(
      comm, [&] { return io::stated_conversion(from, to, options); },
      [&] { return std::make_unique<io::NewFile>(transport, communicator, to); });
  std::vector<format::Literal> literals;
  comm::agree_at_root(comm, [&] {
    const FieldEntry& first = source->catalog().field();
    const format::FieldFormat& target =
        io::target_format(to, options.write, first.payload.spec, first.payload.extents).for_fields();
    literals = target.refer(references_to(source->catalog(), target));
    if (options.dry_run) io::require_target(transport, to, options.write.overwrite);
  });
  if (options.dry_run) return;
  file->create(options.write.overwrite, 0);
  file->write([&] { return literals; });
  file->finish(options.write.sync);
  file->publish(options.write.sync);
}

}  // namespace lq
