// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "archive/archive_job.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "io/payload_files.hpp"
#include "lattice/tiles.hpp"
#include "options/agreed.hpp"

namespace lq::archive {

JoinedFiles::JoinedFiles(storage::Transport& transport, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    auto file = transport.open_read(path);
    const std::uint64_t bytes = file->size();
    const storage::Identity identity = file->identity();
    files_.push_back({std::move(file), identity, size_});
    size_ += bytes;
  }
}

std::size_t JoinedFiles::read_at(std::uint64_t offset, base::MutableBytes buffer) {
  if (offset >= size_) return 0;
  buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset)));
  auto one = std::prev(std::ranges::upper_bound(files_, offset, {}, &One::begin));
  for (std::size_t done = 0; done < buffer.size(); ++one) {
    const std::uint64_t within = offset + done - one->begin;
    const std::uint64_t end = std::next(one) == files_.end() ? size_ : std::next(one)->begin;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size() - done, end - offset - done));
    read_all(*one->file, within, buffer.subspan(done, count));
    done += count;
  }
  return buffer.size();
}

std::vector<std::uint64_t> JoinedFiles::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (std::size_t k = 0; k < files_.size(); ++k) {
    sizes.push_back((k + 1 < files_.size() ? files_[k + 1].begin : size_) - files_[k].begin);
  }
  return sizes;
}

bool JoinedFiles::has(const storage::Identity& file) const {
  return std::ranges::any_of(files_, [&](const One& one) { return storage::is_same_file(one.identity, file); });
}

void JoinedFiles::require_unchanged() const {
  for (const One& one : files_) {
    if (storage::is_unchanged(one.identity, one.file->identity())) continue;
    const std::string& path = one.file->path();
    base::fail(Code::io, path,
               "the file changed while it was being read. Stop the program that writes to it, then repeat the command");
  }
}

ArchiveJob::ArchiveJob(const std::string& from, const std::string& to, const Communicator& communicator,
                       const SqueezeOptions& options)
    : from_(from),
      to_(to),
      options_(options),
      communicator_(communicator),
      comm_(communicator.engine()),
      place_(storage::resolve(to)) {}

void ArchiveJob::start() {
  comm::require_same(comm_, [&] {
    std::vector<comm::StatedArgument> all = options::stated("SqueezeOptions", options_);
    all.push_back({"from", from_});
    all.push_back({"to", to_});
    return all;
  });
  source_ = io::ScannedFile::open(storage::resolve(from_), from_, communicator_, {}, io::Headers::read_twice);
  source_->open_everywhere();
  comm::agree(comm_, [&] {
    catalog().require_sound();
    joined_ = std::make_unique<JoinedFiles>(source_->files(), io::files_of(catalog()));
  });
}

void ArchiveJob::begin(std::span<const Target> targets) {
  comm::agree(comm_, [&] {
    for (const Target& target : targets) {
      targets_.push_back(std::make_unique<io::NewFile>(place_, communicator_, to_ + target.suffix));
      targets_.back()->keep_private(from_);
    }
  });
  for (std::size_t k = 0; k < targets.size(); ++k) targets_[k]->create(options_.overwrite, targets[k].bytes);
  std::array<std::uint64_t, 1> replaces{0};
  comm::agree_at_root(comm_, [&] {
    if (&place_ != &storage::resolve(from_)) return;
    const auto is_source = [&](const Target& target) {
      const std::string path = to_ + target.suffix;
      return place_.kind(path) == storage::PathKind::file && joined_->has(place_.open_read(path)->identity());
    };
    replaces[0] = std::ranges::any_of(targets, is_source) ? 1 : 0;
  });
  comm_.all_reduce(replaces, comm::Reduce::max);
  replaces_source_ = replaces[0] == 1;
  owners_ = target().owners();
  writers_ = owners_.writers(comm_.size(), 1);
  for (const auto& target : targets_) target->open_for_writing(writes());
  team_.emplace(comm::thread_count(comm_, options_.threads, total_));
}

void ArchiveJob::parallel_for(std::uint64_t count, base::FunctionRef<void(int, std::uint64_t)> work) {
  comm::agree(comm_, [&] {
    if (!writes()) return;
    const lattice::Share share = lattice::share_of(count, writers_, static_cast<std::uint64_t>(comm_.rank()));
    comm::parallel_for(*team_, share.end - share.begin,
                       [&](int thread, std::uint64_t i) { work(thread, share.begin + i); });
  });
}

void ArchiveJob::advance(int thread, std::uint64_t bytes) {
  const std::uint64_t done = done_ += bytes, share = (total_ + writers_ - 1) / writers_;
  if (options_.progress && thread == 0 && is_root()) options_.progress(std::min(done, share), share);
}

void ArchiveJob::end(base::FunctionRef<void(JoinedFiles&)> check) {
  comm::agree(comm_, [&] { joined_->require_unchanged(); });
  for (const auto& target : targets_) target->finish(owners_.sync(options_.sync));
  if (options_.verify == Verify::read_back || (replaces_source_ && options_.verify != Verify::none)) {
    std::unique_ptr<JoinedFiles> written;
    comm::agree(comm_, [&] {
      std::vector<std::string> paths;
      for (const auto& target : targets_) paths.push_back(target->temporary_path());
      written = std::make_unique<JoinedFiles>(place_, paths);
    });
    check(*written);
  }
  io::NewFile::publish_set(targets_, options_.sync);
}

SqueezeReport ArchiveJob::report(const Archive& archive, std::uint64_t archive_bytes) {
  SqueezeReport report;
  comm::agree(comm_, [&] { report.format = archive.format; });
  report.original_bytes = archive.bytes;
  report.archive_bytes = archive_bytes;
  for (const Segment& segment : archive.segments) {
    if (!segment.is_squeezed()) continue;
    report.squeezed_bytes += segment.length;
    report.tiles += segment.tiles.size();
  }
  report.seconds = watch_.seconds();
  return report;
}

void read_all(base::ByteSource& file, std::uint64_t offset, base::MutableBytes bytes) {
  if (file.read_at(offset, bytes) == bytes.size()) return;
  base::fail(Code::io, {.path = file.path(), .offset = offset},
             "the file became shorter while it was being read: it now ends before byte {}. Stop the "
             "program that writes to it, then repeat the command",
             offset + bytes.size());
}

}  // namespace lq::archive
