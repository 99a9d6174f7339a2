// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The contents of a file, on all ranks: the root reads and recognises it, the others receive the result. Headers and
// data are then read from the same file, even if its name refers to another one in the meantime.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <limequat/catalog.hpp>
#include <limequat/grid.hpp>
#include <limequat/options.hpp>

#include "base/inner.hpp"
#include "comm/agree.hpp"
#include "io/journal.hpp"
#include "io/replacement.hpp"
#include "storage/pinned_transport.hpp"
#include "storage/subfiles.hpp"

namespace lq::io {

// Local. The path that all reading ranks must agree on.
comm::StatedArgument stated_path(const std::string& path);

// Collective. True if on any rank a name refers to another file than at first.
bool have_been_replaced(comm::Comm& comm, const storage::PinnedTransport& files);

// Collective. Runs `use`, which opens files; if a rank finds another file under a known name, or a
// name refers to another one when it fails, it is run again from the beginning. It throws the same on all ranks,
// if at all.
template <class Use>
void use_same_files(comm::Comm& comm, storage::PinnedTransport& files, const Use& use) {
  constexpr int attempts = 20;
  for (int attempt = 1;; ++attempt) {
    try {
      return use();
    } catch (const Error&) {
      if (!have_been_replaced(comm, files) || attempt == attempts) throw;
    }
    files.forget();
  }
}

// Files bound to the first file opened under each name; one of them is read with its journal applied.
class JournaledFiles final : public storage::PinnedTransport {
 public:
  using PinnedTransport::PinnedTransport;
  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  // Local. While nothing reads. nullptr: unchanged.
  void overlay(const std::string& path, std::shared_ptr<const Changes> changes);
  // Local. The same: if the file describes a set of subfiles, it stands for the whole they form from now on.
  // Returns true if so.
  bool take_for_set(const std::string& path);

 private:
  std::shared_ptr<storage::Subfiles> subfiles_;  // of path_
  std::string path_;
  std::shared_ptr<const Changes> changes_;
};

// How headers are read. The source of a new file is read twice and compared, because headers have no checksums.
enum class Headers { read_once, read_twice };

class LQ_INNER ScannedFile {
 public:
  // Collective. Scans the file.
  static std::shared_ptr<ScannedFile> open(storage::Transport& transport, const std::string& path,
                                           const Communicator& communicator, const Limits& limits,
                                           Headers headers = Headers::read_once);
  // Local. Nothing is scanned yet.
  ScannedFile(storage::Transport& transport, const std::string& path, const Communicator& communicator,
              const Limits& limits, Headers headers = Headers::read_once)
      : replaced_(transport),
        files_(replaced_),
        path_(path),
        communicator_(communicator),
        limits_(limits),
        headers_(headers) {}
  ScannedFile(const ScannedFile&) = delete;
  ScannedFile& operator=(const ScannedFile&) = delete;

  // The scan in two steps, for callers that agree on more at the same time.
  // Collective. The root scans the file.
  comm::FromRoot scan_at_root();
  // Local. The root's result, on this rank.
  void learn(const comm::FromRoot& at_root);

  const Catalog& catalog() const noexcept { return catalog_; }
  // For opening it: the name refers to the scanned file.
  storage::PinnedTransport& files() noexcept { return files_; }

  // Collective. Runs `use`, which opens the file on the ranks that read it. If one of them finds another file of
  // this name, the scan and `use` are repeated.
  template <class Use>
  void use_as_scanned(const Use& use);
  // Collective. True if a name refers to another file than the opened one.
  bool was_replaced() const { return have_been_replaced(communicator_.engine(), files_); }
  // Collective. Opens it on all ranks.
  void open_everywhere();
  // Collective. If the file was changed since the scan, it is scanned again; io: it has other contents now.
  void require_as_scanned();

 private:
  void scan();
  Catalog look();
  Catalog look_once();
  Catalog look_at_file();
  Catalog scan_headers(storage::File& file) const;
  std::vector<std::byte> found() const;

  ReplacedFiles replaced_;
  JournaledFiles files_;
  std::string path_;
  Communicator communicator_;
  Limits limits_;
  Headers headers_;
  Catalog catalog_;
  FoundJournal journal_;  // at the root
  bool is_set_ = false;   // at the root
};

template <class Use>
void ScannedFile::use_as_scanned(const Use& use) {
  bool is_scanned = true;
  use_same_files(communicator_.engine(), files_, [&] {
    if (!std::exchange(is_scanned, false)) scan();
    use();
  });
}

}  // namespace lq::io
