// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A file may be replaced by another one of the same name at any time. A reader of headers, and of the data to which
// they point, needs both from the same file. Through a PinnedTransport a name refers to the file it meant at first, on
// this rank and on ranks that received its identity.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/inner.hpp"
#include "storage/forwarding.hpp"

namespace lq::storage {

// Any thread. Outlives its files.
class LQ_INNER PinnedTransport : public ForwardingTransport {
 public:
  explicit PinnedTransport(Transport& inner) : ForwardingTransport(inner) {}

  // The file that this name meant at first; opened only once, however often it is requested. io: the name now means
  // another file. Reads use one open file description; with many files only the first ones stay open.
  std::unique_ptr<File> open_read(const std::string& path) override;
  // Queried once for each name, because it is a request to servers and a file does not move to another file system.
  StorageTraits unit(const std::string& path) override;

  // The file that a name means, as it was when opened; empty if unknown.
  std::optional<Identity> opened(const std::string& path) const;
  // Sets the file that the name means, as opened first by another rank.
  void expect(const std::string& path, const Identity& identity);
  // The file was written to in between: `now` replaces its recorded state.
  void refresh(const std::string& path, const Identity& now);
  // True if a name was found to mean another file than at first.
  bool has_seen_replacement() const;
  // True if all names that were opened here still mean these files.
  bool mean_the_same() const noexcept;
  // From now on every name means the file that it refers to at its next use.
  void forget();

 private:
  struct Known {
    Identity identity;
    bool is_ours = true;  // else set by another rank
    std::shared_ptr<File> file;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Known> known_;
  std::map<std::string, StorageTraits> units_;
  std::size_t open_ = 0;
  bool has_met_another_ = false;
};

}  // namespace lq::storage
