// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file may get a successor of its name at any time. Whoever reads headers, and data where they say, wants both from
// the same file: through an PinnedTransport a name means the file that it meant at first, on this rank and on those
// that were told.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "storage/forwarding.hpp"

namespace lq::storage {

// Any thread. Outlives its files.
class PinnedTransport : public ForwardingTransport {
 public:
  explicit PinnedTransport(Transport& inner) : ForwardingTransport(inner) {}

  // The file that this name meant at first; open only once, however often it is asked for. io: it means another one
  // now. What is read goes through one open file description; with many files only the first ones stay open.
  std::unique_ptr<File> open_read(const std::string& path) override;
  // Asked once for each name: servers are asked for it, and a file does not move to another file system.
  StorageTraits unit(const std::string& path) override;

  // The file that a name means, as it was when it was opened; nothing if it is not known.
  std::optional<Identity> opened(const std::string& path) const;
  // What it means on another rank, which opened it first.
  void expect(const std::string& path, const Identity& identity);
  // It was written to in between: what it means is as it is now.
  void refresh(const std::string& path, const Identity& now);
  // Whether a name was found to mean another file than at first.
  bool has_seen_replacement() const;
  // Whether all names that were opened here mean these files still.
  bool mean_the_same() const noexcept;
  // From now on every name means the file it is found to mean next.
  void forget();

 private:
  struct Known {
    Identity identity;
    bool is_ours = true;  // else another rank's
    std::shared_ptr<File> file;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::map<std::string, StorageTraits> units_;
  std::size_t open_ = 0;
  bool has_met_another_ = false;
};

}  // namespace lq::storage
