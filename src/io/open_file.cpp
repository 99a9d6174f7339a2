// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public File: a scanned file that stays open, and transfers from it.
#include <algorithm>

#include <limequat/file.hpp>
#include <limequat/inspect.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "format/format.hpp"
#include "io/background.hpp"
#include "io/payload_files.hpp"
#include "io/transfer.hpp"

namespace lq {
namespace {

// Appends to `bytes`. A file may claim to contain more than it does, and more than fits in memory: memory is allocated
// only for what was actually read.
void append_read(base::ByteSource& file, std::uint64_t offset, std::uint64_t length, const Catalog& catalog,
                 const Record& record, std::string& bytes) {
  constexpr std::uint64_t at_once = 16 * 1024 * 1024;
  for (std::uint64_t done = 0; done < length;) {
    const auto next = static_cast<std::size_t>(std::min(at_once, length - done));
    const std::size_t before = bytes.size();
    bytes.resize(before + next);
    if (file.read_at(offset + done, std::as_writable_bytes(std::span(bytes).subspan(before))) != next) {
      base::fail(Code::truncated, {.path = catalog.path, .record = record.type}, "the file ends within \"{}\"",
                 base::printable(record.type));
    }
    done += next;
  }
}

}  // namespace

const std::shared_ptr<io::ScannedFile>& FileAccess::file_of(const File& file) {
  if (file.state_) return file.state_->file;
  throw Error(Code::wrong_state, "this open file was moved to another object, so nothing can be read from it");
}

File::File(const std::string& path, const Communicator& communicator, const Limits& limits)
    : state_(comm::agree(communicator.engine(), [] { return std::make_unique<State>(); })) {
  state_->file = io::ScannedFile::open(storage::resolve(path), path, communicator, limits);
}
File::~File() = default;
File::File(File&&) noexcept = default;
File& File::operator=(File&&) noexcept = default;

const Catalog& File::catalog() const { return FileAccess::file_of(*this)->catalog(); }

Report File::read(const Grid& grid, const MutableField& field, const ReadOptions& options) const {
  const auto file = comm::agree(grid.communicator().engine(), [&] { return FileAccess::file_of(*this); });
  const std::unique_ptr<io::Transfer> transfer = io::begin_read(file, grid, field, options);
  return transfer->finish(engine::outcome_of(transfer->steps()));
}

std::string File::read_record(std::string_view type, std::uint64_t index) const {
  const Record& record = catalog().record(type, index);
  const format::Format& format = format::format_named(catalog().format);
  if (format.info.contents == Contents::streams) {
    base::fail(Code::unsupported, {.path = catalog().path, .record = record.type},
               "\"{}\" is a stream of a multifile; read it with MultifileReader or read_record()",
               base::printable(record.type));
  }
  std::string bytes;
  const auto file = FileAccess::file_of(*this)->files().open_read(catalog().path);
  if (const auto contents = format.container->contents(*file, catalog(), record)) {
    append_read(*contents, 0, contents->size(), catalog(), record, bytes);
    return bytes;
  }
  for (const format::RecordPiece& piece : format.container->pieces(*file, catalog(), record)) {
    append_read(*file, piece.offset, piece.length, catalog(), record, bytes);
  }
  return bytes;
}

std::vector<double> File::read_site(const Coord& site, const ReadOptions& options) const {
  const FieldEntry& entry = catalog().field(options.field, options.index);
  const Payload& payload = entry.payload;
  if (site.size() != payload.extents.size() || !payload.stored.contains(site)) {
    base::fail(Code::invalid_argument, {.path = catalog().path, .record = entry.name},
               "site {} does not exist: the lattice of \"{}\" is {}, and coordinates count from 0", site_text(site),
               entry.name, to_string(payload.extents));
  }
  const io::PayloadFiles files(FileAccess::file_of(*this)->files(), catalog(), payload);
  return io::read_box(files.sequence(), payload, {site, Coord::filled(site.size(), 1)});
}

File open(const std::string& path, const Communicator& communicator, const Limits& limits) {
  return File(path, communicator, limits);
}

}  // namespace lq
