// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writes records of any format to separate files (include/limequat/repack.hpp).
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/catalog.hpp>
#include <limequat/error.hpp>
#include <limequat/inspect.hpp>
#include <limequat/options.hpp>
#include <limequat/repack.hpp>

#include "base/error.hpp"
#include "base/function_ref.hpp"
#include "base/text.hpp"
#include "comm/alone.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "format/format.hpp"
#include "format/sion/scan.hpp"
#include "format/sion/set.hpp"
#include "io/journal.hpp"
#include "io/new_file.hpp"
#include "sets/checkpoint/fields_writer.hpp"
#include "sets/checkpoint/found_set.hpp"
#include "sets/checkpoint/open_set.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/checkpoint/stream.hpp"
#include "sets/repack/set_writer.hpp"
#include "storage/forwarding.hpp"
#include "storage/pinned_transport.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

// The bytes of a record of a file of any format, in pieces, even if they are spread over several files,
// or are the stream of a checkpoint, which is compared with its checksums and decompressed. Any thread.

class RecordReader {
 public:
  // How often bytes without checksums are read.
  enum class Reads { once, twice };
  // Throws the errors of opening and scanning.
  RecordReader(storage::Transport& transport, const std::string& path, const Limits& limits, Reads reads);

  const Catalog& catalog() const noexcept { return catalog_; }
  // The checkpoint that the file belongs to; nullptr for other files. Throws the errors of find_set().
  const FoundSet* checkpoint();
  // The bytes to read: for a compressed stream more than the file contains.
  std::uint64_t bytes(const Record& record);
  // True if several threads can read it faster together.
  bool is_shared(const Record& record) { return !task_of(record); }
  // `work` receives every byte once, in order. truncated: the file ends within the record; checksum_mismatch.
  void for_each_piece(const Record& record, const std::function<void(base::Bytes piece)>& work);
  // The same using the threads of a team, in any order: `position` is in the record. The caller's thread reads a stream
  // of a checkpoint, and data that are decoded.
  using Work = base::FunctionRef<void(int thread, std::uint64_t position, base::Bytes piece)>;
  void share_pieces(const Record& record, comm::Team& team, Work work);

 private:
  // Where headers, tables and plain records are read.
  storage::Transport& place() noexcept;
  void look_for_set();
  std::optional<std::int32_t> task_of(const Record& record);
  void read_stream(std::int32_t task, Work work);
  std::shared_ptr<base::ByteSource> source(int number);

  storage::PinnedTransport transport_;
  storage::TwiceRead twice_;
  Reads reads_;
  std::shared_ptr<storage::File> file_;
  Catalog catalog_;
  const format::Format& format_;
  std::once_flag has_looked_;
  std::optional<FoundSet> found_;  // if the file is a multifile with records
  std::shared_ptr<OpenFiles> files_;
};

}  // namespace lq::sets

namespace lq {

// Also contains the public read_record().

namespace sets {
namespace {

[[noreturn]] void ends_early(const std::string& path, const Record& record) {
  base::fail(Code::truncated, {.path = path, .record = record.type},
             "the file ends within \"{}\"; copy it again from its source", base::printable(record.type));
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

// Found on first use: a file without a table has no streams.
const FoundSet* RecordReader::checkpoint() {
  std::call_once(has_looked_, [this] { look_for_set(); });
  return found_ ? &*found_ : nullptr;
}

void RecordReader::look_for_set() {
  if (format_.info.contents != Contents::streams) return;
  const bool is_missing = std::ranges::any_of(catalog_.findings, format::sion::is_of_missing_file);
  const std::string& any = catalog_.files.empty() || is_missing ? catalog_.path : catalog_.files.front();
  // What is left of another program's set is read unchanged; one with records is closed or is refused.
  if ((!catalog_.complete || is_missing) && !generation_at(place(), any)) return;
  FoundSet found =
      find_set(place(), any, Unclosed::refused, is_missing ? MissingFiles::stood_in_for : MissingFiles::refused);
  if (!found.has_records()) return;
  files_ = std::make_shared<OpenFiles>(transport_);
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
  StreamReader stream(files_, entry_of(*found_, task), {.record = found_->records.front()});
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(piece_bytes, stream.size())));
  for (std::uint64_t done = 0; done < stream.size();) {
    const std::size_t got = stream.read_at(done, buffer);
    if (got == 0) {
      base::fail(Code::truncated, catalog_.path, "the stream of task {} ends after {} of {} bytes", task, done,
                 stream.size());
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
  // `begin`: position of these bytes in the record.
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
  std::shared_ptr<base::ByteSource> from;  // besides the named file, one physical file is open at a time
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

// Returns true if there is such a field. Its data are compared before the first byte is returned.
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

void hand_out_record(const std::string& path, std::string_view type, std::uint64_t index,
                     const std::function<void(const void* data, std::uint64_t bytes)>& sink, const Limits& limits) {
  sets::RecordReader reader(storage::resolve(path), path, limits, sets::RecordReader::Reads::once);
  const Sink hand_out = [&](base::Bytes piece) { sink(piece.data(), piece.size()); };
  const bool is_record = std::ranges::count(reader.catalog().records, type, &Record::type) > 0;
  const sets::FoundSet* found = is_record || index > 0 ? nullptr : reader.checkpoint();
  if (found != nullptr && read_field(*found, type, limits, hand_out)) return;
  reader.for_each_piece(reader.catalog().record(type, index), hand_out);
}

}  // namespace

void read_record(const std::string& path, std::string_view type, std::uint64_t index,
                 const std::function<void(const void* data, std::uint64_t bytes)>& sink, const Limits& limits) {
  comm::alone([&] { hand_out_record(path, type, index, sink, limits); });
}

namespace {

// A file to unpack, and the files to write.
class Unpacking {
 public:
  Unpacking(const std::string& path, const RepackOptions& options)
      : source_(storage::resolve(path)), options_(options), reader_(source_, path, options.limits, reads_of(options)) {
    report_.format = reader_.catalog().format;
  }

  static sets::RecordReader::Reads reads_of(const RepackOptions& options) {
    using Reads = sets::RecordReader::Reads;
    return options.verify == Verify::none ? Reads::once : Reads::twice;
  }

  const Catalog& catalog() const noexcept { return reader_.catalog(); }
  const RepackReport& report() const noexcept { return report_; }

  void require_target(const std::string& to) const {
    io::require_target(storage::resolve(to), to, options_.overwrite);
    const auto is_read = [&](const std::string& file) { return sets::is_same_file(file, to); };
    const bool is_of_set = is_read(catalog().path) || std::ranges::any_of(catalog().files, is_read);
    if (!is_of_set && !is_read(sets::fields_name(catalog().path))) return;
    base::fail(Code::invalid_argument, to, "a file cannot be read and replaced at the same time; choose another name");
  }

  bool is_checkpoint() { return reader_.checkpoint() != nullptr; }
  // For a checkpoint; other files have none.
  const sets::CopiedFields& find_fields(sets::FieldData data) {
    const sets::FoundSet* found = reader_.checkpoint();
    if (found != nullptr) fields_ = sets::CopiedFields::examine_twice(source_, *found, data);
    return fields_;
  }

  // For names of neither a record nor a field.
  [[noreturn]] void throw_unknown(std::string_view name) const {
    for (const ChunkDamage& damage : fields_.damage()) {
      if (damage.field == name)
        throw Error(Code::malformed, damage.what, {.path = damage.path, .offset = damage.offset});
    }
    std::string names;
    for (std::size_t i = 0; i < fields_.count(); ++i)
      names += fmt::format("{}{}", i == 0 ? "; fields: " : ", ", fields_.name(i));
    base::fail(Code::no_such_record, {.path = catalog().path, .record = std::string(name)},
               "there is no record or field \"{}\"{}; \"lq ls\" lists the contents", base::printable(name), names);
  }

  // Plans the file for a record or a field; nothing is written before everything is planned.
  void plan(const Record& record, const std::string& to) { plan({&record, 0, to, reader_.bytes(record)}); }
  void plan_field(std::size_t index, const std::string& to) { plan({nullptr, index, to, fields_.bytes(index)}); }

  // Several files at a time; one larger than a thread's share is written by all of them together. If several files
  // fail, the first error is reported.
  void write() {
    if (options_.dry_run) return;
    sets::Progressing progress(options_.progress, planned_.size());
    comm::Team team(comm::thread_count(options_.threads, bytes_of_all()));
    const std::uint64_t share = bytes_of_all() / static_cast<std::uint64_t>(team.size());
    for (std::size_t i = 0; i < planned_.size();) {
      const auto is_large = [&](const Planned& file) {
        return file.bytes > share && file.record != nullptr && reader_.is_shared(*file.record);
      };
      if (is_large(planned_[i])) {
        write(planned_[i++], team);
        progress.add(1);
        continue;
      }
      const auto end = std::find_if(planned_.begin() + static_cast<std::ptrdiff_t>(i), planned_.end(), is_large);
      const std::size_t first = i;
      i = static_cast<std::size_t>(end - planned_.begin());
      comm::parallel_for(team, i - first, [&](int thread, std::uint64_t k) {
        comm::Team own(1);
        write(planned_[first + static_cast<std::size_t>(k)], own);
        progress.add(1, thread);
      });
    }
    progress.finish();
  }

  // A missing physical file affects its own streams only.
  void require_sound_files() {
    Catalog rest;
    rest.path = catalog().path;
    for (const Finding& finding : catalog().findings) {
      (format::sion::is_of_missing_file(finding) ? report_.findings : rest.findings).push_back(finding);
    }
    rest.require_sound();
  }

  void tell_of_lost_fields() {
    const std::vector<Finding> lost = sets::lost_fields(fields_);
    report_.findings.insert(report_.findings.end(), lost.begin(), lost.end());
  }

  void require_sound_field(std::size_t index) const {
    if (!options_.dry_run) fields_.require_sound(index, source_);
  }

 private:
  struct Planned {
    const Record* record = nullptr;  // nullptr: the field
    std::size_t field = 0;
    std::string path;
    std::uint64_t bytes = 0;
  };

  void plan(Planned file) {
    require_target(file.path);
    (file.record != nullptr ? report_.tasks : report_.fields) += 1;
    if (file.record != nullptr) report_.bytes += file.bytes;
    report_.file_bytes += file.bytes;
    report_.files.push_back(file.path);
    planned_.push_back(std::move(file));
  }

  std::uint64_t bytes_of_all() const noexcept { return report_.file_bytes; }

  void write(const Planned& planned, comm::Team& team) {
    io::NewFile file(storage::resolve(planned.path), Communicator(), planned.path);
    file.keep_private(catalog().path);
    file.keep_other_data("what was extracted", std::nullopt);
    file.create(options_.overwrite, planned.bytes);
    file.named([&] {
      if (planned.record == nullptr) return fields_.write_one(planned.field, file.file());
      reader_.share_pieces(*planned.record, team, [&](int, std::uint64_t position, base::Bytes piece) {
        file.file().write_at(position, piece);
      });
    });
    file.finish(options_.sync);
    file.publish(options_.sync);
  }

  storage::Transport& source_;
  const RepackOptions& options_;
  sets::RecordReader reader_;
  sets::CopiedFields fields_;
  std::vector<Planned> planned_;
  RepackReport report_;
};

// File names for record types: special characters become %XX, further records of a type get a number,
// and no name is used twice.
class Names {
 public:
  std::string next(const std::string& type) {
    const std::string plain = plain_name(type);
    for (std::uint64_t& number = numbers_[type];;) {
      const std::string name = number == 0 ? plain : fmt::format("{}.{}", plain, number);
      ++number;
      if (taken_.insert(name).second) return name;
    }
  }

 private:
  static std::string plain_name(const std::string& type) {
    constexpr std::size_t longest = 192;  // leaves space for numbers, also in the names of temporary files
    std::string name;
    for (const char c : type) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                         c == '_' || (c == '.' && !name.empty());
      name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return name.empty() ? "record" : name.substr(0, longest);
  }

  std::map<std::string, std::uint64_t> numbers_;
  std::set<std::string> taken_;
};

void make_folder(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (!failure && std::filesystem::is_directory(folder)) return;
  base::fail(failure == std::errc::permission_denied ? Code::no_permission : Code::invalid_argument,
             {.path = folder, .system_errno = failure.value()}, "cannot create this directory: {}",
             failure ? failure.message() : "there is a file of this name");
}

RepackReport unpack_records(const std::string& path, const std::string& folder, const RepackOptions& options) {
  Unpacking unpacking(path, options);
  unpacking.require_sound_files();
  const auto& records = unpacking.catalog().records;
  const sets::CopiedFields& fields =
      unpacking.find_fields(options.dry_run ? sets::FieldData::left_out : sets::FieldData::compared);
  unpacking.tell_of_lost_fields();
  Names names;
  const auto in_folder = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  for (std::size_t i = 0; i < records.size(); ++i) {
    // Its keys follow and contain its data.
    if (i + 1 < records.size() && records[i + 1].type.starts_with(records[i].type + ".key.")) continue;
    unpacking.plan(records[i], in_folder(names.next(records[i].type)));
  }
  for (std::size_t i = 0; i < fields.count(); ++i) {
    unpacking.plan_field(i, in_folder(names.next(fmt::format("{}.scidac", fields.name(i)))));
  }
  if (!options.dry_run) make_folder(folder);
  unpacking.write();
  return unpacking.report();
}

RepackReport extract_record(const std::string& path, std::string_view type, std::uint64_t index, const std::string& to,
                            const RepackOptions& options) {
  Unpacking unpacking(path, options);
  const auto& records = unpacking.catalog().records;
  const bool is_record = std::ranges::count(records, type, &Record::type) > 0;
  if (is_record || index > 0 || !unpacking.is_checkpoint()) {
    unpacking.plan(unpacking.catalog().record(type, index), to);
    unpacking.write();
    return unpacking.report();
  }
  const auto field = unpacking.find_fields(sets::FieldData::left_out).find(type);
  if (!field) unpacking.throw_unknown(type);
  unpacking.require_sound_field(*field);
  unpacking.plan_field(*field, to);
  unpacking.write();
  return unpacking.report();
}

}  // namespace

RepackReport unpack(const std::string& path, const std::string& folder, const RepackOptions& options) {
  return comm::alone([&] { return unpack_records(path, folder, options); });
}

RepackReport extract(const std::string& path, std::string_view type, std::uint64_t index, const std::string& to,
                     const RepackOptions& options) {
  return comm::alone([&] { return extract_record(path, type, index, to, options); });
}

}  // namespace lq
