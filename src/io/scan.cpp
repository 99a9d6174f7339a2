// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scans by one rank on behalf of all.
#include "io/scan.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/byte_source.hpp"
#include "base/error.hpp"
#include "comm/wire.hpp"
#include "format/format.hpp"
#include "io/catalog_codec.hpp"
#include "io/payload_files.hpp"
#include "io/verdict.hpp"
#include "storage/window.hpp"

namespace lq::io {

namespace {

// True if a file still has its previous fields: data appended after them do not affect their readers. For a file
// without fields everything is compared.
bool still_holds(Catalog now, Catalog before) {
  const auto without_journal = [](Catalog& catalog) {
    std::erase_if(catalog.findings, [](const Finding& finding) { return finding.rule.starts_with("journal-"); });
    return encode(catalog);
  };
  if (before.fields.empty()) return without_journal(now) == without_journal(before);
  if (now.format != before.format || now.fields.size() < before.fields.size()) return false;
  now.fields.resize(before.fields.size());
  Catalog fields_now, fields_before;
  fields_now.fields = std::move(now.fields);
  fields_before.fields = std::move(before.fields);
  return encode(fields_now) == encode(fields_before);
}

// It is represented by its description.
class WholeOfSet final : public storage::Window {
 public:
  WholeOfSet(std::shared_ptr<storage::Subfiles> subfiles, const storage::Identity& description)
      : Window(std::move(subfiles)), description_(description) {}
  storage::Identity identity() const override { return description_; }
  void close() override {}  // others may read the subfiles

 private:
  storage::Identity description_;
};

}  // namespace

comm::StatedArgument stated_path(const std::string& path) { return {"the path of the file to read", path}; }

bool have_been_replaced(comm::Comm& comm, const storage::PinnedTransport& files) {
  std::array<std::uint64_t, 1> replaced{files.has_seen_replacement() || !files.mean_the_same() ? 1U : 0U};
  comm.all_reduce(replaced, comm::Reduce::max);
  return replaced[0] != 0;
}

std::shared_ptr<ScannedFile> ScannedFile::open(storage::Transport& transport, const std::string& path,
                                               const Communicator& communicator, const Limits& limits,
                                               Headers headers) {
  comm::Comm& comm = communicator.engine();
  const auto file = comm::agree(
      comm, [&] { return std::vector<comm::StatedArgument>{stated_path(path)}; },
      [&] { return std::make_shared<ScannedFile>(transport, path, communicator, limits, headers); });
  file->scan();
  return file;
}

std::unique_ptr<storage::File> JournaledFiles::open_read(const std::string& path) {
  auto file = PinnedTransport::open_read(path);
  if (path != path_) return file;
  if (subfiles_) return std::make_unique<WholeOfSet>(subfiles_, file->identity());
  if (!changes_) return file;
  return std::make_unique<ChangedFile>(std::move(file), changes_);
}

void JournaledFiles::overlay(const std::string& path, std::shared_ptr<const Changes> changes) {
  path_ = path;
  changes_ = std::move(changes);
  subfiles_.reset();
}

bool JournaledFiles::take_for_set(const std::string& path) {
  overlay(path, nullptr);
  auto set = storage::set_in(*PinnedTransport::open_read(path), path);
  if (set) subfiles_ = std::make_shared<storage::Subfiles>(*std::move(set), false);
  return subfiles_ != nullptr;
}

void ScannedFile::scan() {
  const comm::FromRoot at_root = scan_at_root();
  comm::agree(communicator_.engine(), [&] { learn(at_root); });
}

comm::FromRoot ScannedFile::scan_at_root() {
  return comm::bytes_from_root(communicator_.engine(), [&] {
    catalog_ = look();
    return communicator_.size() > 1 ? found() : std::vector<std::byte>();  // nobody to tell
  });
}

namespace {

bool has_finding(const Catalog& catalog, std::string_view rule) {
  return std::ranges::find(catalog.findings, rule, &Finding::rule) != catalog.findings.end();
}

// The files whose versions the root sends: the requested one is the last.
std::vector<std::string> all_files_of(const Catalog& catalog, const std::string& path) {
  std::vector<std::string> paths = files_of(catalog);
  paths.push_back(path);
  return paths;
}

}  // namespace

// At the root: the catalog, the files it has opened, whether the requested one describes a set, and
// anything that changes the meaning of names and bytes, which is rare.
std::vector<std::byte> ScannedFile::found() const {
  std::vector<std::byte> message = encode(catalog_);
  for (const std::string& path : all_files_of(catalog_, path_)) {
    comm::append(message, files_.opened(path).value_or(storage::Identity{}));
  }
  comm::append(message, is_set_);
  if (has_finding(catalog_, "replacement")) {
    comm::append_text(message, replaced_.replacement()->record);
    comm::append_text(message, base::as_text(replaced_.replacement()->bytes));
  }
  if (has_finding(catalog_, "journal-complete")) comm::append_text(message, base::as_text(journal_.bytes));
  return message;
}

void ScannedFile::learn(const comm::FromRoot& at_root) {
  if (communicator_.is_root()) return;
  catalog_ = Catalog();
  base::Bytes message = decode(at_root.bytes(), catalog_);
  static_cast<void>(format::format_named(catalog_.format));  // may need to be loaded
  const std::vector<std::string> paths = all_files_of(catalog_, path_);
  std::vector<storage::Identity> told;
  for (std::size_t i = 0; i < paths.size(); ++i) told.push_back(comm::take<storage::Identity>(message));
  const auto is_set = comm::take<bool>(message);
  // Names have the same meaning here as at the root.
  std::optional<Replacement> replacement;
  if (has_finding(catalog_, "replacement")) {
    const std::string record = comm::take_text(message);
    replacement = decode_replacement(base::as_bytes(comm::take_text(message)), record);
  }
  replaced_.take(std::move(replacement));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (told[i].inode != 0) files_.expect(paths[i], told[i]);  // else it was not opened
  }
  files_.overlay(path_, nullptr);
  if (is_set) files_.take_for_set(path_);
  if (!has_finding(catalog_, "journal-complete")) return;
  const std::string journal = comm::take_text(message);
  files_.overlay(path_, changes_of({FoundJournal::State::complete, decode_journal(base::as_bytes(journal)).value()}));
}

// At the root. Files that belong together are of one version if, after all of them were opened, their names still
// refer to them: they are replaced together, and otherwise do not change. If one is missing or does not fit,
// there may be more of them.
Catalog ScannedFile::look() {
  constexpr int attempts = 20;
  replaced_.take({});
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto stood_still = [&] { return replaced_.is_still_so(path_) && files_.mean_the_same(); };
    const auto failed_by_itself = [&] {
      try {
        return stood_still();
      } catch (const Error&) {
        return true;
      }
    };
    try {
      Catalog catalog = look_once();
      if ((catalog.files.size() < 2 && !has_errors(catalog.findings)) || stood_still()) {
        if (replaced_.replacement()) catalog.findings.push_back(finding_of(*replaced_.replacement()));
        return catalog;
      }
    } catch (const Error&) {
      if (failed_by_itself()) throw;
    }
    files_.forget();
    replaced_.look(path_);
  }
  base::fail(Code::io, {.path = path_},
             "it was opened {} times, and each time its files were replaced in the meantime; read it again when no "
             "program writes to it",
             attempts);
}

// A file that no format recognises may describe a set of subfiles.
Catalog ScannedFile::look_once() {
  is_set_ = false;
  try {
    return look_at_file();
  } catch (const Error& error) {
    is_set_ = error.code() == Code::unknown_format && files_.take_for_set(path_);
    if (!is_set_) throw;
  }
  return scan_headers(*files_.open_read(path_));
}

Catalog ScannedFile::scan_headers(storage::File& file) const {
  if (headers_ == Headers::read_once) return format::scan(file, limits_);
  base::ReadTwice twice(file);
  return format::scan(twice, limits_);
}

Catalog ScannedFile::look_at_file() {
  Catalog catalog;
  files_.overlay(path_, nullptr);
  const std::shared_ptr<storage::File> file = files_.open_read(path_);
  read_undisturbed(files_, file, [&](storage::File& seen, const FoundJournal& journal) {
    journal_ = journal;
    catalog = scan_headers(seen);
  });
  files_.overlay(path_, changes_of(journal_));
  if (auto finding = finding_of(journal_, path_)) catalog.findings.push_back(std::move(*finding));
  return catalog;
}

void ScannedFile::open_everywhere() {
  use_as_scanned([&] { comm::agree(communicator_.engine(), [&] { files_.open_read(path_); }); });
}

void ScannedFile::require_as_scanned() {
  comm::agree_at_root(communicator_.engine(), [&] {
    const auto file = files_.open_read(path_);
    const storage::Identity now = file->identity();
    if (is_unchanged(files_.opened(path_).value(), now)) return;
    if (!still_holds(format::scan(*file, limits_), catalog_)) {
      base::fail(Code::io, {.path = path_},
                 "the file was changed since it was opened and has other contents now; open it again");
    }
    files_.refresh(path_, now);
  });
}

}  // namespace lq::io
