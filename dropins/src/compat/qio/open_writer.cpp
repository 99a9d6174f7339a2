// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "compat/qio/open_writer.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "comm/agree.hpp"
#include "comm/wire.hpp"
#include "compat/qio/nodes.hpp"
#include "compat/qio/open_reader.hpp"
#include "compat/qio/records.hpp"
#include "io/replacement.hpp"

namespace lq::compat::qio {
namespace {

bool is_wished(const char* variable) {
  const char* const asked_for = std::getenv(variable);
  return asked_for != nullptr && std::strcmp(asked_for, "0") != 0;
}

bool wants_sync() { return is_wished("LIMEQUAT_QIO_SYNC"); }

}  // namespace

std::optional<std::uint32_t> number_for_names(comm::Comm& nodes) {
  std::array<std::uint32_t, 2> facts{};
  comm::agree(nodes, [&] {
    if (nodes.rank() == 0 && is_wished("LIMEQUAT_QIO_RENAME")) facts = {1, base::random_number()};
  });
  nodes.broadcast(std::as_writable_bytes(std::span(facts)), 0);
  return facts[0] == 0 ? std::nullopt : std::optional(facts[1]);
}

OpenWriter::~OpenWriter() {
  if (final_path.empty() || !family.leads()) return;
  outcome_of(QIO_ERR_CLOSE, [&] { storage::resolve(path).remove(path); });
}

void make_folder_of(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return;
  throw Error(Code::io, fmt::format("{}: cannot create the folder: {}", folder, std::strerror(errno)));
}

void OpenWriter::open_at_leader(const QIO_Writer& writer, int mode, std::optional<std::uint32_t> number) {
  if (writer.volfmt == QIO_PARTFILE_DIR) make_folder_of(path);
  storage::Transport& transport = storage::resolve(path);
  const bool is_there = transport.kind(path) != storage::PathKind::absent;
  const bool is_kept = mode == QIO_APPEND && is_there;
  if (number && !is_kept) {
    const std::string temporary = base::temporary_name(path, *number);
    file = transport.create(temporary, {.is_private = is_there});
    final_path = std::exchange(path, temporary);
  } else {
    file = is_there ? transport.open_write(path) : transport.create(path);
  }
  unit = transport.unit(path);
  appends = is_kept && file->size() > 0;
  if (!appends) file->resize(0);
  records = std::make_unique<RecordsOut>(*file, appends ? end_of_records(writer) : 0);
}

std::uint64_t OpenWriter::end_of_records(const QIO_Writer& writer) {
  RecordsIn there(*file);
  while (const auto record = there.next()) {
    if (record->type != QIO_LIMETYPE_PRIVATE_FILE_XML) continue;
    QIO_FileInfo info = QIO_FILE_INFO_TEMPLATE;
    const DML_Layout& layout = *writer.layout;
    if (decoded(QIO_decode_file_info, info, there.text_of(*record)) == QIO_SUCCESS &&
        info.volfmt.value == writer.volfmt && info.dims.n == layout.latdim &&
        std::equal(info.dims.value, info.dims.value + info.dims.n, layout.latsize)) {
      continue;
    }
    throw Refusal(QIO_ERR_FILE_INFO, path + ": cannot append: the file has another lattice or other volumes");
  }
  return std::min(there.position(), file->size());
}

void OpenWriter::open_elsewhere(std::optional<std::uint32_t> number) {
  const auto flag = [](bool is_set) { return std::uint64_t{is_set ? 1U : 0U}; };
  std::array<std::uint64_t, 4> facts{unit.bytes, flag(unit.single_owner), flag(unit.one_writer),
                                     flag(!final_path.empty())};
  family.comm->broadcast(std::as_writable_bytes(std::span(facts)), family.leader);
  unit.bytes = facts[0];
  unit.single_owner = facts[1] != 0;
  unit.one_writer = facts[2] != 0;
  if (file != nullptr) return;
  if (number && facts[3] != 0) path = base::temporary_name(path, *number);
  file = storage::resolve(path).open_write(path);
}

void OpenWriter::close() {
  if (records != nullptr && file->size() > records->end()) file->resize(records->end());
  if (wants_sync() || (unit.single_owner && family.comm->size() > 1)) file->sync();
  file->close();
}

namespace {

// Information for the master about a file to be renamed.
struct Unnamed {
  storage::Identity identity;
  std::string from, to;
};

std::vector<std::byte> bytes_of(const Unnamed& file) {
  std::vector<std::byte> bytes = comm::to_bytes(file.identity);
  const std::string names = file.from + '\0' + file.to;
  const base::Bytes added = base::as_bytes(names);
  bytes.insert(bytes.end(), added.begin(), added.end());
  return bytes;
}

Unnamed unnamed_of(base::Bytes bytes) {
  Unnamed file;
  file.identity = comm::take<storage::Identity>(bytes);
  const std::string_view names = base::as_text(bytes);
  const std::size_t end = names.find('\0');
  file.from = names.substr(0, end);
  file.to = names.substr(end + 1);
  return file;
}

// True if the master can rename it as one of a set: a file on a node's own disk is invisible to it.
bool is_seen(const Unnamed& file, const std::string& record) {
  try {
    return io::replacement_path(file.to) == record &&
           is_same_across_nodes(storage::resolve(file.from).identity(file.from), file.identity);
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    return false;
  }
}

}  // namespace

void settle_parts(const std::string& name) {
  const std::string first = name_of_part(name, QIO_PARTFILE, 0);
  io::settle_replacement(storage::resolve(first), first, wants_sync() ? Sync::full : Sync::none);
}

bool OpenWriter::publish_together(int& code) {
  comm::Comm& all = *nodes;
  std::vector<std::byte> mine;
  code = agree_code(all, QIO_ERR_CLOSE, [&] {
    if (!family.leads() || final_path.empty()) return;
    mine = bytes_of({storage::resolve(path).identity(path), path, final_path});
  });
  if (code != QIO_SUCCESS) return true;
  std::vector<std::vector<std::byte>> told;
  code = agree_code(all, QIO_ERR_CLOSE, [&] { told = all.gather(mine, master); });
  if (code != QIO_SUCCESS) return true;
  std::vector<io::Renaming> files;
  enum : std::uint32_t { alone, undecided, decided };
  std::uint32_t way = alone;
  const Outcome outcome = outcome_of(QIO_ERR_CLOSE, [&] {
    if (!is_master() || mine.empty()) return;
    const std::string record = io::replacement_path(final_path);
    files.push_back({path, final_path});
    for (std::size_t node = 0; node < told.size(); ++node) {
      if (told[node].empty() || static_cast<int>(node) == master) continue;
      const Unnamed one = unnamed_of(told[node]);
      if (!is_seen(one, record)) return;
      files.push_back({one.from, one.to});
    }
    if (files.size() == 1) return;
    way = undecided;
    io::replace_together(
        storage::resolve(path), files, true, wants_sync() ? Sync::full : Sync::none, [&] { way = decided; },
        [](storage::Transport& place, const std::string& first) { return parts_beside(place, first); });
  });
  broadcast_facts(all, way, master);
  if (way == decided && !final_path.empty()) path = std::exchange(final_path, {});
  code = agree_on(all, outcome);
  return way != alone || code != QIO_SUCCESS;
}

int OpenWriter::publish() {
  int code = QIO_SUCCESS;
  if (publish_together(code)) return code;
  // The master's file, by which all others are found, is renamed last.
  for (const bool is_for_master : {false, true}) {
    if (code != QIO_SUCCESS) break;
    code = agree_code(*nodes, QIO_ERR_CLOSE, [&] {
      if (family.leads() && is_master() == is_for_master) publish_own();
    });
  }
  return code;
}

void OpenWriter::publish_own() {
  if (final_path.empty()) return;
  storage::Transport& transport = storage::resolve(path);
  if (transport.kind(final_path) == storage::PathKind::file) transport.copy_permissions(final_path, path);
  transport.rename(path, final_path);
  path = std::exchange(final_path, {});
  if (wants_sync()) transport.sync_directory(path);
}

std::vector<std::byte> bytes_of_site_list(std::span<const std::uint64_t> ranks) {
  const bool is_narrow = std::ranges::all_of(ranks, [](std::uint64_t rank) { return rank <= 0xffffffffULL; });
  std::vector<std::byte> bytes(ranks.size() * (is_narrow ? 4 : 8));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (is_narrow) {
      base::store_be(bytes.data() + 4 * i, static_cast<std::uint32_t>(ranks[i]));
    } else {
      base::store_be(bytes.data() + 8 * i, ranks[i]);
    }
  }
  return bytes;
}

std::vector<std::uint64_t> site_list_of_bytes(base::Bytes bytes, std::uint64_t sites) {
  std::vector<std::uint64_t> ranks;
  if (sites == 0 || (bytes.size() != 4 * sites && bytes.size() != 8 * sites)) return ranks;
  const std::size_t width = bytes.size() / static_cast<std::size_t>(sites);
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    ranks.push_back(width == 4 ? base::load_be<std::uint32_t>(bytes.data() + at)
                               : base::load_be<std::uint64_t>(bytes.data() + at));
  }
  return ranks;
}

}  // namespace lq::compat::qio
