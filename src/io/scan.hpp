// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What is in a file, on all ranks: the root reads and recognises it, the others are told. Headers and data are then
// read from the same file, whatever its name means meanwhile.
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

// Local. What all ranks must name alike who read together.
comm::Stated stated_path(const std::string& path);

// Collective. Whether on any rank a name means another file than at first.
bool have_been_replaced(comm::Comm& comm, const storage::PinnedTransport& files);

// Collective. Does `use`, which opens files; where a rank meets another file of a name that is known already, or a
// name means another one by the time it fails, it is done again, from the beginning. It throws the same on all ranks,
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

// Files through which a name means one file; one of them is read as its journal makes it.
class JournaledFiles final : public storage::PinnedTransport {
 public:
  using PinnedTransport::PinnedTransport;
  std::unique_ptr<storage::File> open_read(const std::string& path) override;
  // Local. While nobody reads. nullptr: as it is.
  void lay_over(const std::string& path, std::shared_ptr<const Changes> changes);
  // Local. The same: the file is a description of a set of subfiles, and from now on means the whole that these make.
  // Whether it is one.
  bool take_for_set(const std::string& path);

 private:
  std::shared_ptr<storage::Subfiles> subfiles_;  // of path_
  std::string path_;
  std::shared_ptr<const Changes> changes_;
};

// How headers are read. What a new file is made from is read twice and compared: headers have no checksums.
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

  // The scan in two steps, for who agrees on more at the same time.
  // Collective. The root scans the file.
  comm::FromRoot scan_at_root();
  // Local. What it found there, on this rank.
  void learn(const comm::FromRoot& at_root);

  const Catalog& catalog() const noexcept { return catalog_; }
  // To open it with: the name means the file that was scanned.
  storage::PinnedTransport& files() noexcept { return files_; }

  // Collective. Does `use`, which opens the file on the ranks that read it. Where one of them meets another file of
  // this name, the scan is repeated, and `use` with it.
  template <class Use>
  void use_as_scanned(const Use& use);
  // Collective. Whether a name means another file than the one that was opened.
  bool was_replaced() const { return have_been_replaced(communicator_.engine(), files_); }
  // Collective. Opens it on all ranks.
  void open_everywhere();
  // Collective. Where it was written to since it was scanned, it is scanned again; io: something else is in it now.
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
