// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the files of a set, cut at a separator: opened from each of its files, listed, explained, read,
// with all files and with one of them missing. What is listed lies in the files.
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>

#include <limequat/error.hpp>

#include "format/formats.hpp"
#include "format/sion/set.hpp"
#include "pieces.hpp"

namespace {

using namespace lq;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

using Files = std::map<std::string, std::string_view>;

class File final : public base::ByteSource {
 public:
  File(const Files& files, std::string path) : files_(files), bytes_(base::as_bytes(files.at(path)), path) {}
  const std::string& path() const noexcept override { return bytes_.path(); }
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    return bytes_.read_at(offset, buffer);
  }
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override {
    if (!files_.contains(path)) return ByteSource::open_other(path);
    return std::make_unique<File>(files_, path);
  }

 private:
  const Files& files_;
  base::MemorySource bytes_;
};

Files cut(std::string_view input) {
  Files files;
  std::int32_t k = 0;
  for (const std::string_view piece : fuzz::pieces(input, 8)) files[format::sion::file_name("set", k++)] = piece;
  return files;
}

void check_records(const format::Container& format, File& file, const Files& files, const Catalog& catalog) {
  for (const Record& record : catalog.records) {
    const std::string& holder =
        catalog.files.empty() ? file.path() : catalog.files.at(static_cast<std::size_t>(record.file));
    if (!catalog.first_error()) {
      std::uint64_t bytes = 0;
      for (const format::RecordPiece& piece : format.pieces(file, catalog, record)) {
        require(piece.file == record.file, "a record lies in one file");
        require(piece.offset <= files.at(holder).size(), "a piece begins in its file");
        require(piece.length <= files.at(holder).size() - piece.offset, "a piece ends in its file");
        bytes += piece.length;
      }
      require(bytes == record.data_length, "pieces make the record");
    }
  }
}

void check(const Files& files, const std::string& path) {
  const format::Container& format = *format::sion_format().container;
  File file(files, path);
  Limits limits;
  limits.records = 5000;
  const Catalog catalog = format.scan(file, limits);
  require(catalog.records.size() <= limits.records, "no more records than asked for");
  if (catalog.records.size() <= 64) check_records(format, file, files, catalog);
  std::uint64_t next = 0;
  for (const Annotation& annotation : format.explain(file, catalog)) {
    require(annotation.offset == next && annotation.length > 0, "annotations leave no gap");
    next += annotation.length;
  }
  require(next == file.size(), "annotations end with the file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Files files = cut({reinterpret_cast<const char*>(data), size});
  for (const auto& [path, bytes] : files) check(files, path);
  for (const auto& [missing, bytes] : files) {
    Files rest = files;
    rest.erase(missing);
    for (const auto& [path, held] : rest) check(rest, path);
  }
  return 0;
}
