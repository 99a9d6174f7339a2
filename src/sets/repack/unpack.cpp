// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of any format as files of their own (include/limequat/repack.hpp).
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "base/text.hpp"
#include "comm/parallel_for.hpp"
#include "format/sion/set.hpp"
#include "io/new_file.hpp"
#include "sets/checkpoint/copied_fields.hpp"
#include "sets/checkpoint/field_note.hpp"
#include "sets/repack/record_reader.hpp"
#include "sets/repack/set_writer.hpp"
#include "sets/repack/source_set.hpp"
#include "storage/transport.hpp"

namespace lq {
namespace {

// A file whose records are taken out, and the files they go to.
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
    throw Error(Code::invalid_argument,
                fmt::format("{}: a file cannot be read and replaced at the same time; choose another name", to),
                {.path = to});
  }

  bool is_checkpoint() { return reader_.checkpoint() != nullptr; }
  // Of a checkpoint; other files have none.
  const sets::CopiedFields& find_fields(sets::FieldData data) {
    const sets::FoundSet* found = reader_.checkpoint();
    if (found != nullptr) fields_ = sets::CopiedFields::looked_at_twice(source_, *found, data);
    return fields_;
  }

  // Neither a record nor a field that can be unpacked.
  [[noreturn]] void throw_unknown(std::string_view name) const {
    for (const ChunkDamage& damage : fields_.damage()) {
      if (damage.field == name)
        throw Error(Code::malformed, damage.what, {.path = damage.path, .offset = damage.offset});
    }
    std::string names;
    for (std::size_t i = 0; i < fields_.count(); ++i)
      names += fmt::format("{}{}", i == 0 ? "; fields: " : ", ", fields_.name(i));
    throw Error(Code::no_such_record,
                fmt::format("{}: no record or field is called \"{}\"{}; \"lq ls\" lists the contents", catalog().path,
                            base::printable(name), names),
                {.path = catalog().path, .record = std::string(name)});
  }

  // What a record or a field becomes; nothing is written before all is planned.
  void plan(const Record& record, const std::string& to) { plan({&record, 0, to, reader_.bytes(record)}); }
  void plan_field(std::size_t index, const std::string& to) { plan({nullptr, index, to, fields_.bytes(index)}); }

  // Several files at a time; one that is larger than the share of a thread is written by all of them together. Of what
  // fails in several files, the first of them is told.
  void write() {
    if (options_.dry_run) return;
    sets::Progressing progress(options_.progress, planned_.size());
    comm::Team team(sets::threads_for(options_, bytes_of_all()));
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

  // A physical file that is missing takes its own streams only.
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
    const Record* record = nullptr;  // none: the field
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

// Names of files for record types: whatever is no plain character becomes %XX, further records of a type get a number,
// and no name is given twice.
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
    constexpr std::size_t longest = 192;  // leaves room for numbers, also in the names of temporary files
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
  throw Error(failure == std::errc::permission_denied ? Code::no_permission : Code::invalid_argument,
              fmt::format("{}: cannot make this directory: {}", folder,
                          failure ? failure.message() : "there is a file of this name"),
              {.path = folder, .system_errno = failure.value()});
}

}  // namespace

RepackReport unpack(const std::string& path, const std::string& folder, const RepackOptions& options) {
  Unpacking unpacking(path, options);
  unpacking.require_sound_files();
  const auto& records = unpacking.catalog().records;
  const sets::CopiedFields& fields =
      unpacking.find_fields(options.dry_run ? sets::FieldData::left_out : sets::FieldData::compared);
  unpacking.tell_of_lost_fields();
  Names names;
  const auto in_folder = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  for (std::size_t i = 0; i < records.size(); ++i) {
    // Its keys follow, and are it.
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

RepackReport extract(const std::string& path, std::string_view type, std::uint64_t index, const std::string& to,
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

}  // namespace lq
