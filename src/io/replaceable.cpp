// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/replaceable.hpp"

#include <array>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/file.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "format/component.hpp"
#include "io/new_file.hpp"
#include "protection/layout.hpp"

namespace lq::io {
namespace {

constexpr std::string_view database_magic = "SQLite format 3", of_damage = "one that is damaged";

bool is_lost(Code code) noexcept { return code == Code::not_found || code == Code::no_permission || code == Code::io; }

// The beginning of a file of zeros says nothing.
bool was_lattice_file(base::ByteSource& file) {
  std::byte first{};
  return file.read_at(0, base::MutableBytes(&first, 1)) == 1 && first != std::byte{0} && format::has_remains(file);
}

}  // namespace

std::string data_in(storage::Transport& transport, const std::string& path) {
  if (transport.kind(path) != storage::PathKind::file) return {};
  const auto file = transport.open_read(path);
  std::array<std::byte, protection::head_begin_bytes> start{};
  const base::Bytes read = base::Bytes(start).first(file->read_at(0, start));
  if (base::as_text(read).starts_with(database_magic)) return "catalogue";
  if (protection::head_bytes_of(read)) return "parity";
  if (const format::Component* const component = format::claimed_by(*file)) return std::string(component->format);
  try {
    return lq::inspect(path).format;
  } catch (const Error& error) {
    if (is_lost(error.code())) throw;
    if (error.code() != Code::unknown_format) return std::string(of_damage);
  }
  return std::string(was_lattice_file(*file) ? of_damage : std::string_view());
}

void require_replaceable(storage::Transport& transport, const std::string& path, std::string_view made,
                         std::string_view kind) {
  const std::string found = data_in(transport, path);
  if (found.empty() || found == kind) return;
  throw Error(Code::invalid_argument,
              fmt::format("{}: this is a file of format {}, and {} must not replace it; choose another name", path,
                          found, made),
              {.path = path, .expected = fmt::format("{}, or no file", made), .found = found});
}

void write_text(const std::string& path, std::string_view text, bool overwrite,
                const std::vector<std::string>& made_of) {
  storage::Transport& transport = storage::resolve(path);
  NewFile file(transport, {}, path);
  file.keep_other_data("a text", "");
  file.create(overwrite, text.size());
  for (const std::string& source : made_of) {
    if (&storage::resolve(source) == &transport) transport.keep_private(source, file.temporary_path());
  }
  file.named([&] { file.file().write_at(0, base::as_bytes(text)); });
  file.finish(Sync::data);
  file.publish(Sync::data);
}

}  // namespace lq::io
