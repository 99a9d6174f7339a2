// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Scans by one rank for all.
#include "io/scan.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/read_twice.hpp"
#include "format/format.hpp"
#include "io/catalog_codec.hpp"
#include "io/journal_watch.hpp"
#include "io/payload_files.hpp"
#include "io/verdict.hpp"
#include "pieces/description.hpp"
#include "pieces/window.hpp"

namespace lq::io {

namespace {

// Whether a file holds the fields that it held: what was put behind them disturbs nobody who reads them. Of a file
// without fields everything.
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

// What stands for it is its description.
class WholeOfSet final : public partition::Window {
 public:
  WholeOfSet(std::shared_ptr<partition::Subfiles> subfiles, const transport::Identity& description)
      : Window(std::move(subfiles)), description_(description) {}
  transport::Identity identity() const override { return description_; }
  void close() override {}  // others may read the subfiles

 private:
  transport::Identity description_;
};

}  // namespace

bool have_been_replaced(comm::Comm& comm, const transport::OpenedOnce& files) {
  std::array<std::uint64_t, 1> replaced{files.has_met_another() || !files.mean_the_same() ? 1U : 0U};
  comm.all_reduce(replaced, comm::Reduce::max);
  return replaced[0] != 0;
}

std::shared_ptr<ScannedFile> ScannedFile::open(transport::Transport& transport, const std::string& path,
                                               const Communicator& communicator, const Limits& limits,
                                               Headers headers) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, path, "the path of the file to read");
  auto file =
      comm::agree(comm, [&] { return std::make_shared<ScannedFile>(transport, path, communicator, limits, headers); });
  file->scan();
  return file;
}

std::unique_ptr<transport::File> JournaledFiles::open_read(const std::string& path) {
  auto file = OpenedOnce::open_read(path);
  if (path != path_) return file;
  if (subfiles_) return std::make_unique<WholeOfSet>(subfiles_, file->identity());
  if (!changes_) return file;
  return std::make_unique<ChangedFile>(std::move(file), changes_);
}

void JournaledFiles::lay_over(const std::string& path, std::shared_ptr<const Changes> changes) {
  path_ = path;
  changes_ = std::move(changes);
  subfiles_.reset();
}

bool JournaledFiles::take_for_set(const std::string& path) {
  lay_over(path, nullptr);
  auto set = partition::set_in(*OpenedOnce::open_read(path), path);
  if (set) subfiles_ = std::make_shared<partition::Subfiles>(*std::move(set), false);
  return subfiles_ != nullptr;
}

void ScannedFile::scan() {
  comm::Comm& comm = communicator_.engine();
  broadcast(comm, [&]() -> Catalog& {
    if (communicator_.is_root()) catalog_ = look();
    return catalog_;
  });
  tell_replacement();
  tell_files();
  tell_changes();
}

// At the root. Files that belong together are of one version where, after all of them were opened, their names mean
// them still: they get successors together, and stay the same by themselves. Where one is missing or does not fit,
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
  throw Error(Code::io,
              fmt::format("{}: it was opened {} times, and each time its files were replaced meanwhile; read it again "
                          "when there is less to be written",
                          path_, attempts),
              {.path = path_});
}

// What no format takes for its own may describe a set of subfiles.
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

Catalog ScannedFile::scan_headers(transport::File& file) const {
  if (headers_ == Headers::read_once) return format::scan(file, limits_);
  base::ReadTwice twice(file);
  return format::scan(twice, limits_);
}

Catalog ScannedFile::look_at_file() {
  Catalog catalog;
  files_.lay_over(path_, nullptr);
  const std::shared_ptr<transport::File> file = files_.open_read(path_);
  read_undisturbed(files_, file, [&](transport::File& seen, const FoundJournal& journal) {
    journal_ = journal;
    catalog = scan_headers(seen);
  });
  files_.lay_over(path_, changes_of(journal_));
  if (auto finding = finding_of(journal_, path_)) catalog.findings.push_back(std::move(*finding));
  return catalog;
}

// What a journal changes is little.
void ScannedFile::tell_changes() {
  comm::Comm& comm = communicator_.engine();
  if (std::ranges::find(catalog_.findings, "journal-complete", &Finding::rule) == catalog_.findings.end()) return;
  const std::string text = comm::broadcast_text(comm, std::string(base::as_text(journal_.bytes)));
  comm::agree(comm, [&] {
    if (communicator_.is_root()) return;
    files_.lay_over(path_, changes_of({FoundJournal::State::complete, decode_journal(base::as_bytes(text)).value()}));
  });
}

// Rare, as above. Names mean on all ranks what they mean at the root.
void ScannedFile::tell_replacement() {
  comm::Comm& comm = communicator_.engine();
  const bool is_replaced =
      std::ranges::find(catalog_.findings, "replacement", &Finding::rule) != catalog_.findings.end();
  if (!is_replaced) return replaced_.take({});
  const bool knows = communicator_.is_root();
  const std::string record = comm::broadcast_text(comm, knows ? replaced_.replacement()->record : std::string());
  const std::string text =
      comm::broadcast_text(comm, knows ? std::string(base::as_text(replaced_.replacement()->bytes)) : std::string());
  comm::agree(comm, [&] { replaced_.take(decode_replacement(base::as_bytes(text), record)); });
}

// The root, which has looked into the files, tells the others which they were, and whether the one that was asked for
// describes a set.
void ScannedFile::tell_files() {
  struct Told {
    transport::Identity identity;  // of a file that was not looked into: none
    std::uint64_t is_set = 0;
  };
  comm::Comm& comm = communicator_.engine();
  std::vector<std::string> paths;
  std::vector<Told> told;
  comm::agree(comm, [&] {
    paths = files_of(catalog_);
    paths.push_back(path_);
    told.resize(paths.size());
    if (comm.rank() > 0) return;
    std::ranges::transform(paths, told.begin(), [&](const std::string& path) {
      return Told{files_.opened(path).value_or(transport::Identity{})};
    });
    told.back().is_set = is_set_ ? 1 : 0;
  });
  comm.broadcast(std::as_writable_bytes(std::span(told)), 0);
  comm::agree(comm, [&] {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (told[i].identity.inode != 0) files_.expect(paths[i], told[i].identity);
    }
    if (comm.rank() == 0) return;
    files_.lay_over(path_, nullptr);
    if (told.back().is_set != 0) files_.take_for_set(path_);
  });
}

void ScannedFile::open_everywhere() {
  use_as_scanned([&] { comm::agree(communicator_.engine(), [&] { files_.open_read(path_); }); });
}

void ScannedFile::require_as_scanned() {
  comm::agree_at_root(communicator_.engine(), [&] {
    const auto file = files_.open_read(path_);
    const transport::Identity now = file->identity();
    if (is_unchanged(files_.opened(path_).value(), now)) return;
    if (!still_holds(format::scan(*file, limits_), catalog_)) {
      throw Error(Code::io,
                  path_ + ": the file was changed since it was opened, and holds something else now; open it again",
                  {.path = path_});
    }
    files_.refresh(path_, now);
  });
}

}  // namespace lq::io
