// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An open sidecar: checks files against its sums, and restores blocks from its parity. Blocks of files and of parity
// are used only after their sums agree. Local; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <limequat/options.hpp>

#include "base/byte_source.hpp"
#include "base/inner.hpp"
#include "protection/layout.hpp"
#include "storage/transport.hpp"

namespace lq::protection {

// Bytes of a file.
struct Range {
  std::uint64_t offset = 0, length = 0;
  friend bool operator==(const Range&, const Range&) = default;
};
// Adds a range; adjacent ranges are merged.
LQ_INNER void add_range(std::vector<Range>& ranges, const Range& range);
// "bytes 0 to 1023, 4096 to 8191 and 12 more ranges"
LQ_INNER std::string text_of(const std::vector<Range>& ranges);
LQ_INNER std::uint64_t bytes_of(const std::vector<Range>& ranges) noexcept;

class LQ_INNER Sidecar {
 public:
  // malformed: neither of its heads can be read; unsupported: a later version; and errors of opening.
  Sidecar(storage::Transport& transport, const std::string& path);

  const std::string& path() const noexcept { return file_->path(); }
  const Head& head() const noexcept { return head_; }
  // The sums of a window, from whichever copy is intact. Empty: neither is.
  std::shared_ptr<const Page> page(std::uint64_t window) const;
  // A parity block; false: it is damaged.
  bool read_parity(const Page& page, const Cell& cell, std::uint32_t parity, base::MutableBytes block) const;
  // The path of one of its files.
  std::string path_of(std::size_t file) const;

  // Damaged ranges of the sidecar itself: heads, sums or parity.
  std::vector<Range> damage(int threads) const;

 private:
  void check_frame(std::vector<Range>& damage) const;

  std::unique_ptr<storage::File> file_;
  std::uint64_t size_ = 0;
  Head head_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, std::shared_ptr<const Page>> pages_;  // cache of the last windows
};

// A sidecar, and one of its files.
struct Cover {
  std::shared_ptr<const Sidecar> sidecar;
  std::size_t file = 0;
  const ProtectedPart& part() const noexcept { return sidecar->head().files[file]; }
};
// The possible names of the sidecar of a file, in search order: its own; those of sets named by the file name, or by a
// part of it before a dot; and that of the folder.
std::vector<std::string> sidecar_names(const std::string& path);
// The sidecar of a file, which may be lost. Empty: there is none. Throws the errors of a damaged sidecar.
LQ_INNER std::optional<Cover> find_cover(const std::string& path);
// The same; `names` says which names there are.
LQ_INNER std::optional<Cover> find_cover(storage::Transport& names, const std::string& path);
// The same for a part of a set with any name: opens all sidecars in the folder, and ignores unreadable ones.
LQ_INNER std::optional<Cover> find_cover_in_folder(const std::string& path);

// The result of checking a file against a sidecar.
struct FileCheck {
  std::vector<Range> damaged;     // blocks that differ, within the protected length
  std::vector<Range> unprovable;  // blocks whose sums are damaged
  std::uint64_t blocks = 0, differing = 0;
  std::uint64_t bytes = 0;  // current size of the file
  bool is_missing = false;
  bool is_intact(std::uint64_t protected_bytes) const noexcept {
    return !is_missing && damaged.empty() && unprovable.empty() && bytes == protected_bytes;
  }
};
class PassedBlocks;
// `source`: nullptr: the file is lost. `passed`: blocks of it that have already agreed (passing.hpp).
LQ_INNER FileCheck check_file(const Cover& cover, base::ByteSource* source, int threads, const Progress& progress = {},
                              const PassedBlocks* passed = nullptr);

// The files of a sidecar in their current state; missing ones are lost. Only a few are open at a time.
class LQ_INNER SourceFiles {
 public:
  explicit SourceFiles(std::shared_ptr<const Sidecar> sidecar) : sidecar_(std::move(sidecar)) {}
  // nullptr: it cannot be opened.
  std::shared_ptr<base::ByteSource> file(std::size_t number) const;
  // Substitutes the source of a file; `file` outlives the object.
  void put(std::size_t number, base::ByteSource& file);

 private:
  std::shared_ptr<const Sidecar> sidecar_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::shared_ptr<base::ByteSource>> open_;
  std::map<std::size_t, std::shared_ptr<base::ByteSource>> replaced_;
};

// A protected file in its original state: each block is compared with its sum when it is read, and if it differs, is
// restored from the others and from parity. Thread-safe.
class LQ_INNER RestoredFile final : public base::ByteSource {
 public:
  // `now`: the file itself, which may be damaged; nullptr: opened by name. `path`: the name in messages.
  RestoredFile(Cover cover, base::ByteSource* now, std::string path);

  const std::string& path() const noexcept override { return path_; }
  std::uint64_t size() const override { return cover_.part().bytes; }
  // checksum_mismatch: the damage exceeds what can be restored.
  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override;
  // Other files are opened unchanged.
  std::unique_ptr<base::ByteSource> open_other(const std::string& path) const override;

  // The parts of these ranges that cannot be restored.
  std::vector<Range> lost_of(const std::vector<Range>& damaged, int threads);

 private:
  bool read_block(std::uint64_t block, base::MutableBytes bytes);
  bool restore(std::uint64_t block, base::MutableBytes bytes);

  Cover cover_;
  SourceFiles files_;
  std::string path_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::byte>> restored_;
};

}  // namespace lq::protection
