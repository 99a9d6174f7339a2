// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/write_new.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "format/format.hpp"
#include "io/new_file.hpp"
#include "storage/transport.hpp"

namespace lq::ensemble {
namespace {

constexpr std::string_view database_magic = "SQLite format 3";

// What a file is if it holds data: the name of its format, or of databases; empty for texts and others.
std::string_view data_in(base::ByteSource& file) {
  std::array<std::byte, database_magic.size()> start{};
  const std::size_t held = file.read_at(0, start);
  if (base::as_text(base::Bytes(start).first(held)) == database_magic) return "catalogue";
  try {
    return format::recognise(file).name();
  } catch (const Error& error) {
    if (error.code() != Code::unknown_format) throw;
    return {};
  }
}

// Pages and documents are made out of catalogues and lattice files: they never take the place of one.
void require_no_data(storage::Transport& transport, const std::string& path) {
  if (transport.kind(path) != storage::PathKind::file) return;
  const auto file = transport.open_read(path);
  const std::string_view data = data_in(*file);
  if (data.empty()) return;
  throw Error(
      Code::invalid_argument,
      fmt::format("{}: this is a file of format {}, which a text does not replace; choose another name", path, data),
      {.path = path, .expected = "a text, or no file", .found = std::string(data)});
}

}  // namespace

void write_new(const std::string& path, const std::string& text, bool overwrite,
               const std::vector<std::string>& made_of) {
  storage::Transport& transport = storage::resolve(path);
  if (overwrite) require_no_data(transport, path);
  io::NewFile file(transport, {}, path);
  file.create(overwrite, text.size());
  for (const std::string& source : made_of) {
    if (&storage::resolve(source) == &transport) transport.keep_private(source, file.temporary_path());
  }
  file.named([&] { file.file().write_at(0, base::as_bytes(text)); });
  file.finish(Sync::data);
  file.publish(Sync::data);
}

}  // namespace lq::ensemble
