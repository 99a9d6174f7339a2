// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/staging/file_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "io/journal.hpp"
#include "io/new_file.hpp"
#include "io/sites.hpp"
#include "kernels/crc32.hpp"

namespace lq::sets {

namespace {

// Largest number of sums of a file: very large files have larger blocks.
constexpr std::uint64_t most_blocks = 1024 * base::kibi;

// What a rank has moved in a round.
struct Moved {
  CopiedBlock block;
  std::uint64_t bytes = 0;  // 0: none
};

void read_all(storage::File& file, std::uint64_t offset, base::MutableBytes buffer) {
  if (file.read_at(offset, buffer) == buffer.size()) return;
  base::fail(
      Code::io, {.path = file.path(), .offset = offset},
      "it became shorter while it was being copied; no file was published. Copy it when no program writes to it");
}

void remove_if_there(storage::Transport& transport, const std::string& path) {
  if (transport.kind(path) != storage::PathKind::absent) transport.remove(path);
}

}  // namespace

FileCopy::FileCopy(comm::Comm& comm, const Pair& pair, const CopyOptions& options,
                   const std::function<void(std::uint64_t)>& moved, const CopyContext& passage)
    : comm_(comm),
      pair_(pair),
      options_(options),
      moved_(moved),
      passage_(passage),
      source_place_(passage.source),
      target_place_(passage.target),
      unfinished_(unfinished_name(pair.to)),
      copied_name_(copied_name(pair.to)) {}

bool FileCopy::look() {
  comm::agree_at_root(comm_, [&] { look_at_root(); });
  comm_.broadcast(std::as_writable_bytes(std::span(&plan_, 1)), 0);
  if (plan_.is_there == 0) return true;
  if (options_.verify == Verify::read_back) {
    open_ends();
    std::unique_ptr<storage::File> target;
    comm::agree(comm_, [&] { target = target_place_.open_read(pair_.to); });
    compare(*target);
  }
  return false;
}

void FileCopy::look_at_root() {
  source_ = source_place_.open_read(pair_.from);
  identity_ = source_->identity();
  io::require_no_journal(source_place_, pair_.from);
  plan_.bytes = identity_.bytes;
  plan_.modified = identity_.modified;
  plan_.block_bytes = std::max(options_.block_bytes, blocks_of(plan_.bytes, most_blocks));
  const storage::StorageTraits unit = target_place_.unit(pair_.to);
  if (unit.single_owner) plan_.block_bytes = blocks_of(plan_.block_bytes, unit.bytes) * unit.bytes;

  std::vector<std::byte> start(static_cast<std::size_t>(std::min(plan_.bytes, start_bytes)));
  read_all(*source_, 0, start);
  copied_.source = {plan_.bytes, plan_.modified, kernels::crc32(0, start)};
  copied_.block_bytes = plan_.block_bytes;

  const bool is_file = target_place_.kind(pair_.to) == storage::PathKind::file;
  if (is_file && options_.resume && passage_.may_be_there) {
    const storage::Identity there = target_place_.open_read(pair_.to)->identity();
    plan_.is_there = there.bytes == plan_.bytes && there.modified == plan_.modified ? 1 : 0;
  }
  if (plan_.is_there == 1) return sync_present();
  io::require_target(target_place_, pair_.to, options_.overwrite);

  if (target_place_.kind(copied_name_) != storage::PathKind::file) return;
  lock_record();
  if (!options_.resume && !options_.overwrite) {
    base::fail(Code::exists, pair_.to,
               "another copy to this target is running or was interrupted: {} exists; resume it "
               "(options.resume = true), or start over (options.overwrite = true)",
               copied_name_);
  }
  if (!options_.resume || target_place_.kind(unfinished_) != storage::PathKind::file) return;
  const auto file = target_place_.open_read(copied_name_);
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(std::min(file->size(), copied_head_bytes + 2 * most_blocks * copied_block_bytes)));
  bytes.resize(file->read_at(0, bytes));
  std::optional<Copied> found = decode_copied(bytes);
  if (found && found->source == copied_.source && options_.verify != Verify::none &&
      blocks_of(plan_.bytes, found->block_bytes) <= most_blocks) {
    copied_ = std::move(*found);
    plan_.block_bytes = copied_.block_bytes;
    plan_.recorded = copied_.blocks.size();
    plan_.goes_on = 1;
  } else {
    findings_.push_back({.severity = Severity::warning,
                         .rule = "copy-anew",
                         .message = fmt::format("{}: the unfinished copy does not belong to the present contents of "
                                                "{}; the file is copied from the beginning",
                                                pair_.to, pair_.from)});
  }
}

// A copy that was killed may have renamed it without syncing its name.
void FileCopy::sync_present() {
  if (options_.dry_run || options_.sync == Sync::none) return;
  target_place_.open_read(pair_.to)->sync();
  if (options_.sync == Sync::full) target_place_.sync_directory(pair_.to);
}

// The same source on every rank, or none.
void FileCopy::open_ends() {
  comm::agree(comm_, [&] {
    if (!source_) source_ = source_place_.open_read(pair_.from);
    const storage::Identity here = source_->identity();
    if (here.bytes != plan_.bytes || here.modified != plan_.modified) {
      base::fail(Code::io, pair_.from,
                 "it changed while it was being copied; no file was published. Copy it when no program writes to it");
    }
    buffer_.resize(static_cast<std::size_t>(std::min(passage_.piece_bytes, plan_.block_bytes)));
    if (options_.verify == Verify::none) return;
    check_.emplace(passage_.catalog, [&](int file) -> std::optional<std::uint64_t> {
      const std::vector<std::string>& files = passage_.catalog.files;
      const bool is_source = files.empty() ? file == 0 : files.at(static_cast<std::size_t>(file)) == pair_.from;
      return is_source ? std::optional<std::uint64_t>(0) : std::nullopt;
    });
  });
}

void FileCopy::lock_record() {
  lock_.reset();
  lock_.reset(new storage::WriterLock(storage::lock_of_copy(pair_.to)));
}

// Another program that finds the record before it is locked takes the lock for its check, and then gives up.
void FileCopy::lock_new_record() {
  constexpr int attempts = 100;
  for (int attempt = 1;; ++attempt) {
    try {
      return lock_record();
    } catch (const Error& error) {
      if (error.code() != Code::wrong_state || attempt == attempts) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void FileCopy::begin_at_root() {
  if (plan_.goes_on == 1) {
    target_ = target_place_.open_write(unfinished_);
    record_ = target_place_.open_write(copied_name_);
    // A torn end is overwritten.
    record_end_ = copied_head_bytes + copied_.blocks.size() * copied_block_bytes;
    record_->resize(record_end_);
    return;
  }
  io::require_space(target_place_, pair_.to, plan_.bytes);
  // An unfinished copy exists only together with its record, whose lock shows whether the copy is
  // running. An existing record is taken over, not replaced: another program may be about to lock it.
  if (target_place_.kind(copied_name_) == storage::PathKind::file) {
    if (!lock_ || !lock_->is_of(copied_name_)) lock_record();
    record_ = target_place_.open_write(copied_name_);
    record_->resize(0);
  } else {
    record_ = target_place_.create(copied_name_, {.is_private = true});
    lock_new_record();
  }
  try {
    remove_if_there(target_place_, unfinished_);
    // Not readable until it has the permissions of its source.
    target_ = target_place_.create(unfinished_, {.is_private = true});
    set_stripes();
    const std::vector<std::byte> head = encode_head(copied_);
    record_->write_at(0, head);
    record_end_ = head.size();
  } catch (...) {
    forget();  // nothing to resume
    throw;
  }
}

// They can only be set while the file is empty, and another file may take its place.
void FileCopy::set_stripes() {
  const StripeRequest request{
      .count = options_.stripe_count, .bytes = options_.stripe_bytes, .by_size = options_.stripes_by_size};
  const std::string spare = base::temporary_name(pair_.to, base::random_number());
  if (target_place_.set_stripes(unfinished_, spare, plan_.bytes, request).stripes.is_set()) {
    target_ = target_place_.open_write(unfinished_);
  }
}

// A client that looked at the new file now would see it as empty indefinitely: the others query its folder.
void FileCopy::read_owners() {
  owners_ = storage::owners_of(comm_, [&] {
    const std::string folder = base::directory_of(pair_.to);
    const storage::StorageTraits unit = target_place_.unit(comm_.rank() == 0 ? unfinished_ : folder);
    client_ = storage::client_of(target_place_, folder, unit);
    return storage::LocalTraits{unit, client_};
  });
  movers_ = owners_.writers(comm_.size(), passage_.in_pieces ? 1 : plan_.block_bytes);
  if (!owners_.have_incoherent_caches()) return;
  comm::agree_at_root(comm_, [&] { target_->resize(plan_.bytes); });
}

void FileCopy::move() {
  open_ends();
  comm::agree_at_root(comm_, [&] { begin_at_root(); });
  read_owners();
  comm::agree(comm_, [&] {
    if (!target_) target_ = target_place_.open_write(unfinished_);
  });
  find_missing(comm_.rank() == 0 ? copied_.blocks : std::vector<CopiedBlock>{});
  for (std::uint64_t first = 0; first < missing_.size(); first += movers_) move_round(first);
  settle_sums();

  comm::agree(comm_, [&] {
    if (owners_.sync(options_.sync) != Sync::none) target_->sync();
  });
  comm::agree_at_root(comm_, [&] {
    require_unchanged();
    if (target_->size() != plan_.bytes) target_->resize(plan_.bytes);
  });
  if (options_.verify == Verify::read_back) {
    std::unique_ptr<storage::File> target;
    comm::agree(comm_, [&] { target = target_place_.open_read(unfinished_); });
    compare(*target);
  }
  comm::agree(comm_, [&] { target_->close(); });
  comm::agree_at_root(comm_, [&] {
    if (&source_place_ == &target_place_) target_place_.give_permissions(pair_.from, unfinished_);
    if (plan_.modified != 0) target_place_.set_modified(unfinished_, plan_.modified);
  });
}

// Only files that no other program is using.
void FileCopy::forget() noexcept {
  record_.reset();
  try {
    if (!lock_) lock_record();
    remove_if_there(target_place_, copied_name_);
    remove_if_there(target_place_, unfinished_);
  } catch (...) {
    // They belong to another program, or to a copy that is complete or not begun; nothing is lost.
  }
  lock_.reset();
}

// The blocks recorded by an earlier copy are read again, distributed over all ranks: those that differ are moved again.
void FileCopy::find_missing(std::vector<CopiedBlock> recorded) {
  if (plan_.recorded > 0) {
    comm::agree(comm_, [&] { recorded.resize(static_cast<std::size_t>(plan_.recorded)); });
    comm_.broadcast(std::as_writable_bytes(std::span(recorded)), 0);
  }
  std::vector<std::uint64_t> is_there;  // a bit for each block
  comm::agree(comm_, [&] {
    is_there.assign(static_cast<std::size_t>(blocks_of(blocks(), 64)), 0);
    sums_.assign(static_cast<std::size_t>(blocks()), 0);
    for (const CopiedBlock& block : recorded) sums_[static_cast<std::size_t>(block.number)] = block.crc;
    std::vector<bool> is_recorded(static_cast<std::size_t>(blocks()));
    for (const CopiedBlock& block : recorded) is_recorded[static_cast<std::size_t>(block.number)] = true;
    const auto rank = static_cast<std::uint64_t>(comm_.rank()), ranks = static_cast<std::uint64_t>(comm_.size());
    // From the last one on: if the next block is there, the end of a last site is read from it and not from the source.
    for (std::uint64_t block = blocks(); block-- > 0;) {
      if (block % ranks != rank) continue;
      const auto at = static_cast<std::size_t>(block);
      const std::uint64_t end = block * plan_.block_bytes + size_of(block), next = block + 1;
      if (!is_recorded[at] || target_->size() < end || pass(*target_, nullptr, block) != sums_[at]) continue;
      const bool has_next = next < blocks() && (is_there[static_cast<std::size_t>(next / 64)] >> (next % 64) & 1) != 0;
      if (check_) pass(*target_, nullptr, block, &*check_, has_next ? target_.get() : source_.get());
      is_there[at / 64] |= std::uint64_t{1} << (at % 64);
    }
  });
  if (!is_there.empty()) comm_.all_reduce(is_there, comm::Reduce::bit_or);
  comm::agree(comm_, [&] {
    std::uint64_t found = 0;
    for (std::uint64_t block = 0; block < blocks(); ++block) {
      const auto at = static_cast<std::size_t>(block);
      if ((is_there[at / 64] >> (at % 64) & 1) == 0) {
        missing_.push_back(block);
      } else {
        found += size_of(block);
      }
    }
    if (comm_.rank() == 0 && found > 0) moved_(found);
  });
}

void FileCopy::move_round(std::uint64_t first) {
  comm::agree(comm_, [&] {
    std::exception_ptr failure;
    Moved mine;
    base::keep_failure(failure, [&] {
      const auto rank = static_cast<std::uint64_t>(comm_.rank());
      const std::uint64_t at = first + rank;
      if (rank >= movers_ || at >= missing_.size()) return;
      const std::uint64_t block = missing_[static_cast<std::size_t>(at)];
      const std::uint32_t crc = pass(*source_, target_.get(), block, check_ ? &*check_ : nullptr);
      mine = {{block, crc}, size_of(block)};
    });
    base::keep_failure(failure, [&] { record(comm_.gather(std::as_bytes(std::span(&mine, 1)), 0)); });
    if (failure) std::rethrow_exception(failure);
  });
}

// At the root, what all ranks have moved; empty elsewhere.
void FileCopy::record(const std::vector<std::vector<std::byte>>& moved) {
  std::vector<CopiedBlock> blocks;
  std::uint64_t bytes = 0;
  for (const std::vector<std::byte>& part : moved) {
    Moved one;
    std::copy(part.begin(), part.end(), std::as_writable_bytes(std::span(&one, 1)).begin());
    if (one.bytes == 0) continue;
    bytes += one.bytes;
    blocks.push_back(one.block);
    sums_[static_cast<std::size_t>(one.block.number)] = one.block.crc;
  }
  if (blocks.empty()) return;
  if (options_.verify != Verify::none) {
    const std::vector<std::byte> text = encode_blocks(blocks);
    record_->write_at(record_end_, text);
    record_end_ += text.size();
  }
  moved_bytes_ += bytes;
  moved_(bytes);
}

// If data differ from the sums of their file, either the file has them like that, which is reported, or they were
// misread: then the copy is not continued.
void FileCopy::settle_sums() {
  if (!check_) return;
  check_->reduce(comm_);
  const std::vector<Error> mismatches = comm::agree_alike(comm_, [&] { return check_->mismatches(); });
  if (mismatches.empty()) return;
  comm_.broadcast(std::as_writable_bytes(std::span(sums_)), 0);
  try {
    require_blocks(*source_, false, [&](const Differing& block) {
      return base::file_error(Code::checksum_mismatch, {.path = pair_.from, .offset = block.offset},
                              "bytes {} to {} were read twice with different results: CRC-32 {:08x}, then {:08x}. "
                              "Memory, a bus, the network or the storage changed them in transit; copy again, and have "
                              "the machine examined if it happens again",
                              block.offset, block.end - 1, block.expected, block.found);
    });
  } catch (...) {
    if (comm_.rank() == 0) forget();
    throw;
  }
  is_damaged_ = true;
  comm::agree_at_root(comm_, [&] {
    for (const Error& mismatch : mismatches) {
      findings_.push_back({.severity = Severity::error,
                           .code = mismatch.code(),
                           .rule = "copy-damaged-source",
                           .message = fmt::format("{}. The copy has the same bytes", mismatch.what()),
                           .record = mismatch.facts().record,
                           .offset = mismatch.facts().offset,
                           .expected = mismatch.facts().expected,
                           .found = mismatch.facts().found});
    }
  });
}

// Each rank compares the blocks that another one moved, on another client if there are several: with their sums,
// which all ranks have, or with those of the source, read again.
void FileCopy::require_blocks(storage::File& file, bool with_source,
                              base::FunctionRef<Error(const Differing&)> error_of) {
  const std::uint64_t shift = owners_.have_incoherent_caches() ? io::shift_to_other_clients(comm_, client_) : 1;
  comm::agree(comm_, [&] {
    const auto rank = static_cast<std::uint64_t>(comm_.rank()), ranks = static_cast<std::uint64_t>(comm_.size());
    for (std::uint64_t block = (rank + shift) % ranks; block < blocks(); block += ranks) {
      const std::uint32_t expected =
          with_source ? pass(*source_, nullptr, block) : sums_[static_cast<std::size_t>(block)];
      const std::uint32_t found = pass(file, nullptr, block);
      if (found == expected) continue;
      const std::uint64_t offset = block * plan_.block_bytes;
      throw error_of({offset, offset + size_of(block), expected, found});
    }
  });
}

void FileCopy::compare(storage::File& target) {
  require_blocks(target, true, [&](const Differing& block) {
    return base::file_error(
        Code::checksum_mismatch,
        {.path = pair_.to,
         .offset = block.offset,
         .expected = fmt::format("{:08x}", block.expected),
         .found = fmt::format("{:08x}", block.found)},
        "bytes {} to {} differ from {}: CRC-32 {:08x}, but {:08x} was read from the source. The file system has lost "
        "or changed written data; copy again with options.resume = true, or remove the target",
        block.offset, block.end - 1, pair_.from, block.found, block.expected);
  });
}

void FileCopy::require_same_source() const {
  const auto now = source_place_.open_read(pair_.from);
  if (storage::is_same_file(identity_, now->identity())) return;
  base::fail(Code::io, pair_.from,
             "it was replaced while it was being copied; no file was published. Copy it when no program writes to it");
}

void FileCopy::require_unchanged() const {
  if (storage::is_unchanged(identity_, source_->identity())) return;
  base::fail(Code::io, pair_.from,
             "another program wrote to it while it was being copied; no file was published. Copy it when "
             "no program writes to it");
}

std::uint64_t FileCopy::size_of(std::uint64_t block) const noexcept {
  return std::min(plan_.block_bytes, plan_.bytes - block * plan_.block_bytes);
}

std::uint32_t FileCopy::pass(storage::File& from, storage::File* to, std::uint64_t block, io::SourceCheck* check,
                             storage::File* next) {
  const std::uint64_t begin = block * plan_.block_bytes, end = begin + size_of(block);
  std::uint32_t crc = 0;
  if (check != nullptr) check->begin(begin);
  for (std::uint64_t at = begin; at < end; at += buffer_.size()) {
    const auto piece =
        base::MutableBytes(buffer_).first(static_cast<std::size_t>(std::min<std::uint64_t>(end - at, buffer_.size())));
    read_all(from, at, piece);
    if (options_.verify != Verify::none) crc = kernels::crc32(crc, piece);
    if (check != nullptr) check->pass(from, piece);
    if (to != nullptr) to->write_at(at, piece);
  }
  // The last site may end in a block that an unfinished copy does not have yet.
  if (check != nullptr) check->end(next != nullptr ? *next : *source_);
  return crc;
}

}  // namespace lq::sets
