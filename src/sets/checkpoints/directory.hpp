// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A folder of checkpoints as names and small files (formats/checkpoints.md 1): lists checkpoints, marks damaged ones,
// records its user, and publishes and removes checkpoints, each by one rename. All local, for the root only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <limequat/error.hpp>

#include "base/bytes.hpp"
#include "sets/checkpoints/manifest.hpp"
#include "storage/owners.hpp"
#include "storage/transport.hpp"

namespace lq::sets {

inline constexpr std::string_view streams_name = "streams.sion", parity_file_name = "parity",
                                  complete_name = "complete";
inline constexpr int most_tries = 2;

// Failed tries to load a checkpoint.
struct FailedTries {
  int tries = 0;
  bool is_rejected = false;  // by a program
  std::vector<std::string> sentences;

  bool is_left_alone() const noexcept { return is_rejected || tries >= most_tries; }
  bool is_suspect() const noexcept { return is_rejected || tries > 0; }
};

// A published checkpoint.
struct Listed {
  std::string name;
  bool is_ours = true;  // named like those saved here: others are loaded, but never removed
  Manifest manifest;
  std::optional<Error> problem;  // why there is no manifest
  FailedTries marks;

  // From the manifest; without one, from the name, if possible.
  std::uint64_t step() const noexcept;
};

struct Listing {
  std::vector<Listed> checkpoints;      // the newest first, those without a manifest last
  std::vector<std::string> unfinished;  // names of checkpoints being written or removed, or left so by a killed job
  std::vector<std::string> foreign;     // names of anything else
};

class CheckpointDirectory {
 public:
  explicit CheckpointDirectory(std::string path);

  const std::string& path() const noexcept { return path_; }
  storage::Transport& transport() const noexcept { return transport_; }
  std::string of(std::string_view name) const { return path_ + "/" + std::string(name); }

  // Creates the folder if it does not exist, but not its parents.
  void make() const;
  // Takes the lock. wrong_state: another job has it; no_permission: the folder is not writable.
  void lock();
  // wrong_state unless this job still has the lock. If the lock file was removed, the lock is taken again.
  void require_lock();
  void unlock() noexcept { lock_.reset(); }
  // True if another job would have been detected.
  bool excludes_others() const noexcept { return lock_ && lock_->excludes_others(); }
  // Describes the holder of the lock; empty: none.
  std::string holder() const;
  // A number, never 0, that distinguishes this folder from all others, created on first use.
  std::uint64_t id() const;

  Listing list() const;
  // Of the manifest on disk.
  std::string manifest_text(std::string_view name) const;

  // Creates an empty folder for a new checkpoint; returns its name.
  std::string begin(std::uint64_t step) const;
  // Renames it to its final name, which is returned.
  std::string publish(const std::string& unfinished) const;
  // Brings the names in the folder of that path to the disk.
  void sync_name(const std::string& path) const { transport_.sync_directory(path); }
  // Renames a checkpoint away and removes it. false: foreign files in it stay.
  bool remove(const std::string& name) const;
  // The same for an unfinished one.
  bool remove_unfinished(const std::string& name) const;

  void mark(const std::string& name, std::string_view what, const std::string& reason) const;
  void forget_marks(const std::string& name) const;

  // Creates or replaces a small file atomically.
  void write_small(const std::string& path, base::Bytes contents) const;

 private:
  void list_one(const std::string& name, Listing& listing) const;
  FailedTries marks_of(const std::string& name) const;
  std::string read_small(const std::string& path) const;
  Error refusal() const;
  void write_holder() const;

  std::string path_;
  storage::Transport& transport_;
  std::unique_ptr<storage::WriterLock> lock_;
};

// A checkpoint that has no name yet: its folder is removed unless it is published.
class UnfinishedCheckpoint {
 public:
  // `directory` outlives this.
  UnfinishedCheckpoint(const CheckpointDirectory& directory, std::uint64_t step);
  ~UnfinishedCheckpoint();
  UnfinishedCheckpoint(const UnfinishedCheckpoint&) = delete;
  UnfinishedCheckpoint& operator=(const UnfinishedCheckpoint&) = delete;

  std::string folder() const { return directory_.of(name_); }
  std::string path_of(std::string_view file) const { return folder() + "/" + std::string(file); }
  std::unique_ptr<storage::File> create(std::string_view file) const;
  // Gives it its name, which is returned. Its files are synced and closed.
  std::string publish();

 private:
  const CheckpointDirectory& directory_;
  std::string name_;
};

}  // namespace lq::sets
