// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The public read_record() is here, too.
#include "sets/repack/record_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>

#include "base/text.hpp"
#include "comm/parallel_for.hpp"
#include "format/sion/scan.hpp"
#include "io/journal.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/repack/set_writer.hpp"

namespace lq {
namespace sets {
namespace {

[[noreturn]] void ends_early(const std::string& path, const Record& record) {
  throw Error(
      Code::truncated,
      fmt::format("{}: the file ends within \"{}\"; copy it again from its source", path, base::printable(record.type)),
      {.path = path, .record = record.type});
}

}  // namespace

RecordReader::RecordReader(storage::Transport& transport, const std::string& path, const Limits& limits, Reads reads)
    : transport_(transport),
      twice_(transport_),
      reads_(reads),
      file_(io::open_journaled(place(), path)),
      catalog_(format::scan(*file_, limits)),
      format_(format::format_named(catalog_.format)) {}

storage::Transport& RecordReader::place() noexcept {
  if (reads_ == Reads::twice) return twice_;
  return transport_;
}

// Found when it is first needed: a file without a table has no stream to ask for.
const sets::FoundSet* RecordReader::checkpoint() {
  std::call_once(has_looked_, [this] { look_for_set(); });
  return found_ ? &*found_ : nullptr;
}

void RecordReader::look_for_set() {
  if (format_.info.contents != Contents::streams) return;
  const bool is_missing = std::ranges::any_of(catalog_.findings, format::sion::is_of_missing_file);
  const std::string& any = catalog_.files.empty() || is_missing ? catalog_.path : catalog_.files.front();
  // What is left of a set of another program is read as it is; one with records is closed or is refused.
  if ((!catalog_.complete || is_missing) && !sets::generation_at(place(), any)) return;
  sets::FoundSet found = sets::find_set(place(), any, sets::Unclosed::refused,
                                        is_missing ? sets::MissingFiles::stood_in_for : sets::MissingFiles::refused);
  if (!found.has_records()) return;
  files_ = std::make_shared<sets::OpenFiles>(transport_);
  files_->set_paths(found.info().files);
  found_ = std::move(found);
}

std::optional<std::int32_t> RecordReader::task_of(const Record& record) {
  if (!checkpoint()) return std::nullopt;
  const auto name = format::sion::parse_record_name(record.type);
  return name && !name->key ? std::optional(name->task) : std::nullopt;
}

std::uint64_t RecordReader::bytes(const Record& record) {
  const auto task = task_of(record);
  return task ? found_->stream_bytes(*task) : record.data_length;
}

void RecordReader::read_stream(std::int32_t task, Work work) {
  sets::StreamReader stream(files_, sets::entry_of(*found_, task), {.record = found_->records.front()});
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(piece_bytes, stream.size())));
  for (std::uint64_t done = 0; done < stream.size();) {
    const std::size_t got = stream.read_at(done, buffer);
    if (got == 0) {
      throw Error(
          Code::truncated,
          fmt::format("{}: the stream of task {} ends after {} of {} bytes", catalog_.path, task, done, stream.size()),
          {.path = catalog_.path});
    }
    work(0, done, base::Bytes(buffer).first(got));
    done += got;
  }
}

std::shared_ptr<base::ByteSource> RecordReader::source(int number) {
  if (catalog_.files.empty()) return file_;
  const std::string& path = catalog_.files.at(static_cast<std::size_t>(number));
  if (path == file_->path()) return file_;
  return file_->open_other(path);
}

void RecordReader::for_each_piece(const Record& record, const std::function<void(base::Bytes piece)>& work) {
  comm::Team alone(1);
  share_pieces(record, alone, [&](int, std::uint64_t, base::Bytes piece) { work(piece); });
}

void RecordReader::share_pieces(const Record& record, comm::Team& team, Work work) {
  if (const auto task = task_of(record)) return read_stream(*task, work);
  comm::Team alone(1);
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(team.size()));
  // `begin`: where these bytes are in the record.
  const auto read = [&](base::ByteSource& from, std::uint64_t offset, std::uint64_t length, std::uint64_t begin,
                        comm::Team& by) {
    comm::parallel_for(by, length / piece_bytes + (length % piece_bytes > 0 ? 1 : 0), [&](int thread, std::uint64_t i) {
      const std::uint64_t done = i * piece_bytes;
      std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
      buffer.resize(static_cast<std::size_t>(std::min(piece_bytes, length - done)));
      if (from.read_at(offset + done, buffer) < buffer.size()) ends_early(from.path(), record);
      work(thread, begin + done, buffer);
    });
  };
  if (const auto contents = format_.container->contents(*file_, catalog_, record)) {
    return read(*contents, 0, contents->size(), 0, alone);
  }
  std::shared_ptr<base::ByteSource> from;  // one of the physical files beside the one that was named is open at a time
  std::uint64_t begin = 0;
  int opened = -1;
  for (const format::RecordPiece& piece : format_.container->pieces(*file_, catalog_, record)) {
    if (piece.file != opened) from = source(piece.file);
    opened = piece.file;
    read(*from, piece.offset, piece.length, begin, piece.length > piece_bytes ? team : alone);
    begin += piece.length;
  }
}

}  // namespace sets

namespace {

using Sink = std::function<void(base::Bytes piece)>;

// Whether there is such a field. Its data are compared before the first byte is handed out.
bool read_field(const sets::FoundSet& found, std::string_view name, const Limits& limits, const Sink& sink) {
  storage::Transport& transport = storage::resolve(found.fields_path);
  if (found.fields_problem) throw Error(*found.fields_problem);
  if (found.fields_path.empty()) return false;
  const sets::CheckedFields checked = sets::check_fields(transport, found, sets::FieldData::left_out);
  for (const sets::SetField& field : checked.fields.intact) {
    if (field.note.name != name) continue;
    const FieldEntry& entry = checked.catalog.fields[field.entry];
    sets::require_sound_data(transport, checked.catalog, entry);
    sets::RecordReader(transport, found.fields_path, limits, sets::RecordReader::Reads::once)
        .for_each_piece(checked.catalog.records[entry.record], sink);
    return true;
  }
  return false;
}

}  // namespace

void read_record(const std::string& path, std::string_view type, std::uint64_t index,
                 const std::function<void(const void* data, std::uint64_t bytes)>& sink, const Limits& limits) {
  sets::RecordReader reader(storage::resolve(path), path, limits, sets::RecordReader::Reads::once);
  const Sink hand_out = [&](base::Bytes piece) { sink(piece.data(), piece.size()); };
  const bool is_record = std::ranges::count(reader.catalog().records, type, &Record::type) > 0;
  const sets::FoundSet* found = is_record || index > 0 ? nullptr : reader.checkpoint();
  if (found != nullptr && read_field(*found, type, limits, hand_out)) return;
  reader.for_each_piece(reader.catalog().record(type, index), hand_out);
}

}  // namespace lq
