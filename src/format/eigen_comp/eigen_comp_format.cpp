// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "format/eigen_comp/eigen_comp_format.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "format/eigen_comp/metadata.hpp"
#include "format/formats.hpp"

namespace lq::format::eigen_comp {
namespace {

constexpr std::string_view rank_type = "eigen-comp-rank";
constexpr std::string_view first_key = "s[0]", telling_key = "FP16_COEF_EXP_SHARE_FLOATS";
constexpr std::uint64_t most_text = 4 << 20;  // of 100000 checksums
constexpr std::size_t looked_at = 4096;       // where all lines but those of checksums stand

std::string text_of(base::ByteSource& file) {
  if (file.size() > most_text) {
    throw Error(Code::too_large,
                fmt::format("{} of {} bytes, expected at most {}", file.path(), file.size(), most_text));
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  text.resize(file.read_at(0, std::as_writable_bytes(std::span(text))));
  return text;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

class Scan {
 public:
  Scan(base::ByteSource& file, const Limits& limits) : file_(file), limits_(limits), folder_(folder_of(file.path())) {
    catalog_.path = file.path();
    catalog_.format = eigen_comp_name;
    catalog_.file_bytes = file.size();
    Record& header = catalog_.records.emplace_back();
    header.type = metadata_name;
    header.message = header.number = 1;
    header.data_length = file.size();
  }

  Catalog run() {
    try {
      const std::string text = text_of(file_);
      known_ = decode(text);
      if (known_.files() > limits_.records) {
        throw Error(Code::too_large,
                    fmt::format("{} files are more than the limit of {} records", known_.files(), limits_.records));
      }
      catalog_.metadata.emplace_back(metadata_name, text);
      read_eigenvalues();
      list_files();
    } catch (const Error& error) {
      if (error.code() == Code::io || error.code() == Code::out_of_memory) throw;
      findings_.error(error.code(), "eigen-comp-metadata", catalog_.records.front(), error.what(),
                      error.facts().expected, error.facts().found);
    }
    catalog_.findings = findings_.take();
    return std::move(catalog_);
  }

 private:
  // Nothing: there is no such file.
  std::unique_ptr<base::ByteSource> beside(const std::string& name) {
    try {
      return file_.open_other(folder_ + name);
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      return nullptr;
    }
  }

  void read_eigenvalues() {
    const auto file = beside(std::string(eigenvalues_file));
    if (!file) {
      findings_.warning(
          "eigen-comp-values", catalog_.records.front(),
          fmt::format("{} is missing in the same folder; the eigenvalues are not known", eigenvalues_file));
      return;
    }
    std::string text = text_of(*file);
    const std::size_t count = decode_eigenvalues(text).size();
    if (count < known_.vectors) {
      throw Error(Code::malformed,
                  fmt::format("{} eigenvalues in {}, but {} vectors", count, eigenvalues_file, known_.vectors));
    }
    catalog_.metadata.emplace_back(eigenvalues_name, std::move(text));
  }

  void list_files() {
    catalog_.files.push_back(file_.path());
    for (std::uint64_t k = 0; k < known_.files(); ++k) {
      const std::string name = file_name(known_, k);
      Record record;
      record.type = rank_type;
      record.file = static_cast<int>(k + 1);
      record.message = 1;
      record.number = k + 2;
      record.data_length = known_.file_bytes();
      catalog_.files.push_back(folder_ + name);
      catalog_.file_bytes += known_.file_bytes();
      const auto file = beside(name);
      if (!file || file->size() != known_.file_bytes()) report(record, name, file ? file->size() : 0, file != nullptr);
      catalog_.records.push_back(std::move(record));
    }
    // Metadata that were cut are those of fewer files.
    const std::string next = file_name(known_, known_.files());
    if (beside(next)) {
      throw Error(Code::malformed, fmt::format("there is {}, but no line crc32[{}]", next, known_.files()));
    }
  }

  void report(const Record& record, const std::string& name, std::uint64_t bytes, bool is_there) {
    catalog_.complete = false;
    std::string what = is_there
                           ? fmt::format("{} has {} bytes, the metadata announce {}", name, bytes, known_.file_bytes())
                           : fmt::format("there is no {}", name);
    if (!is_there && beside(name.substr(0, 2) + ".zip")) what += fmt::format("; unpack {}.zip", name.substr(0, 2));
    findings_.error(Code::truncated, "eigen-comp-files", record, what + "; copy the whole folder",
                    fmt::format("{} bytes", known_.file_bytes()),
                    is_there ? fmt::format("{} bytes", bytes) : "nothing");
  }

  base::ByteSource& file_;
  const Limits& limits_;
  std::string folder_;
  Catalog catalog_;
  Findings findings_;
  Metadata known_;
};

class EigenComp final : public Container {
 public:
  Likeness recognise(base::ByteSource& file) const override {
    std::array<std::byte, looked_at> start{};
    const std::string_view text = base::as_text(base::Bytes(start).first(file.read_at(0, start)));
    const bool is_ours = text.starts_with(first_key) && text.find(telling_key) != std::string_view::npos;
    return is_ours ? Likeness::yes : Likeness::no;
  }
  Catalog scan(base::ByteSource& file, const Limits& limits) const override { return Scan(file, limits).run(); }
  std::vector<Finding> validate(base::ByteSource&, const Catalog& catalog) const override { return catalog.findings; }
  std::vector<Annotation> explain(base::ByteSource& file, const Catalog&) const override;
};

std::vector<Annotation> EigenComp::explain(base::ByteSource& file, const Catalog&) const {
  std::vector<Annotation> parts;
  const std::string all = text_of(file);
  std::string_view text = all;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, length);
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view value = equals < line.size() ? line.substr(equals + 1) : std::string_view();
    parts.push_back({all.size() - text.size(), length, base::printable(base::trim(line.substr(0, equals))),
                     base::printable(base::trim(value), 120), "formats/eigen-comp.md 2"});
    text.remove_prefix(length);
  }
  return parts;
}

}  // namespace

}  // namespace lq::format::eigen_comp

const lq::format::Format& lq::format::eigen_comp_format() {
  using namespace eigen_comp;
  static const EigenComp eigen_comp;
  static const Format row{.info = {eigen_comp_name,
                                   "compressed eigenvectors",
                                   "\"s[0]\" in the metadata.txt of a folder",
                                   {},
                                   Contents::records},
                          .container = &eigen_comp};
  return row;
}
