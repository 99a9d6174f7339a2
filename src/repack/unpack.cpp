// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of any format as files of their own (include/limequat/repack.hpp).
#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/repack.hpp>

#include "base/text.hpp"
#include "format/format.hpp"
#include "io/new_file.hpp"
#include "transport/transport.hpp"

namespace lq {
namespace {

constexpr std::uint64_t piece_bytes = 1024 * 1024;

// A file whose records are taken out, and the file they go to.
class Unpacking {
 public:
  Unpacking(const std::string& path, const RepackOptions& options)
      : options_(options),
        file_(transport_.open_read(path)),
        format_(format::recognise(*file_)),
        catalog_(format_.scan(*file_, options.limits)) {}

  const Catalog& catalog() const noexcept { return catalog_; }
  const RepackReport& report() const noexcept { return report_; }

  void write(const Record& record, const std::string& to) {
    io::require_target(transport_, to, options_.overwrite);
    report_.files.push_back(to);
    report_.tasks += 1;
    report_.bytes += record.data_length;
    report_.file_bytes += record.data_length;
    if (options_.dry_run) return;
    io::NewFile file(transport_, Communicator(), to, options_.overwrite, record.data_length, true);
    file.named([&] { copy(record, file.file()); });
    file.finish(options_.sync);
    file.publish(options_.sync);
  }

 private:
  void copy(const Record& record, transport::File& to) {
    std::uint64_t place = 0;
    std::vector<std::byte> buffer;
    for (const format::Stretch& stretch : format_.stretches(*file_, catalog_, record)) {
      base::ByteSource& from = source(stretch.file);
      for (std::uint64_t done = 0; done < stretch.length; done += buffer.size()) {
        buffer.resize(static_cast<std::size_t>(std::min(piece_bytes, stretch.length - done)));
        if (from.read_at(stretch.offset + done, buffer) < buffer.size()) ends_early(from.path(), record);
        to.write_at(place, buffer);
        place += buffer.size();
      }
    }
  }

  [[noreturn]] static void ends_early(const std::string& path, const Record& record) {
    throw Error(Code::truncated,
                fmt::format("{}: the file ends within \"{}\"; copy it again from its source", path,
                            base::printable(record.type)),
                {.path = path, .record = record.type});
  }

  base::ByteSource& source(int number) {
    if (catalog_.files.empty()) return *file_;
    const std::string& path = catalog_.files.at(static_cast<std::size_t>(number));
    if (path == file_->path()) return *file_;
    if (!other_ || other_->path() != path) other_ = file_->open_other(path);
    return *other_;
  }

  transport::Transport& transport_ = transport::posix();
  const RepackOptions& options_;
  std::unique_ptr<transport::File> file_;
  const format::Format& format_;
  Catalog catalog_;
  std::unique_ptr<base::ByteSource> other_;
  RepackReport report_;
};

// A record type as the name of a file: whatever is no plain character becomes %XX.
std::string name_for(const std::string& type, std::uint64_t index) {
  std::string name;
  for (const char c : type) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  if (name.empty()) name = "record";
  return index == 0 ? name : fmt::format("{}.{}", name, index);
}

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
  unpacking.catalog().require_sound();
  if (!options.dry_run) make_folder(folder);
  const auto& records = unpacking.catalog().records;
  std::map<std::string, std::uint64_t> seen;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    // Its keys follow, and are it.
    if (i + 1 < records.size() && records[i + 1].type.starts_with(record.type + ".key.")) continue;
    const std::string name = name_for(record.type, seen[record.type]++);
    unpacking.write(record, (std::filesystem::path(folder) / name).string());
    if (options.progress) options.progress(i + 1, records.size());
  }
  return unpacking.report();
}

RepackReport extract(const std::string& path, std::string_view type, std::uint64_t index, const std::string& to,
                     const RepackOptions& options) {
  Unpacking unpacking(path, options);
  const Record& record = unpacking.catalog().record(type, index);
  unpacking.write(record, to);
  return unpacking.report();
}

}  // namespace lq
