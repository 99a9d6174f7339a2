// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// lq::repartition(): a copy of one file to another place; both may be partitioned (partitioned_place.hpp).
#include <limequat/repartition.hpp>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"
#include "io/journal.hpp"
#include "io/protected.hpp"
#include "options/agreed.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/staging/file_copy.hpp"
#include "sets/staging/partitioned_place.hpp"
#include "sets/staging/sources.hpp"
#include "storage/subfiles.hpp"

namespace lq {

namespace sets {
namespace {

// Bytes of a piece per subfile: smaller writes are round trips on parallel file systems.
constexpr std::uint64_t subfile_piece_bytes = 64 * base::kibi;
constexpr std::uint64_t least_piece_bytes = 512 * base::kibi, most_piece_bytes = 8 * base::mebi;

FileArray array_of(const RepartitionOptions& options) {
  FileArray array{.begin = options.begin, .element_bytes = options.element_bytes};
  if (options.extents.empty()) return array;
  for (const std::int64_t extent : parse_extents(options.extents)) array.extents.push_back(extent);
  return array;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return words;
}

// Paths as written in a description. A set may have one subfile; the plain file is "whole".
PartitionedFile new_file(const std::string& path, const PartitionedFile& source, const Partition& partition,
                         const std::vector<std::string>& folders) {
  PartitionedFile file{.path = path, .bytes = source.bytes, .partition = partition};
  file.is_set = !partition.cuts().empty();
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!file.is_set) {
    file.files = {{name, partition.array().begin}};
    return file;
  }
  // Sets of one name never share subfiles: an older one stays complete until the new one is.
  const std::string generation = base::hex32(base::random_number());
  for (std::uint64_t k = 0; k < partition.parts(); ++k) {
    const std::string folder = folders.empty() ? "" : folders[k % folders.size()] + "/";
    file.files.push_back(
        {fmt::format("{}{}.{}.{:04}", folder, name, generation, k), k == 0 ? partition.array().begin : 0});
  }
  return file;
}

PartitionedFile with_whole_paths(PartitionedFile file) {
  for (PartitionedFile::Subfile& subfile : file.files) subfile.path = storage::subfile_path(file.path, subfile.path);
  return file;
}

// True if both have the same parts in the same folders, whatever their names. Paths are absolute.
bool is_laid_out_alike(const PartitionedFile& one, const PartitionedFile& other) {
  const auto folder = [](const PartitionedFile::Subfile& subfile) { return base::directory_of(subfile.path); };
  return one.is_set == other.is_set && one.bytes == other.bytes && one.files.size() == other.files.size() &&
         (!one.is_set ||
          (one.partition == other.partition && std::ranges::equal(one.files, other.files, {}, folder, folder)));
}

class Repartitioning {
 public:
  Repartitioning(const std::string& from, const std::string& to, const Communicator& communicator,
                 const RepartitionOptions& options)
      : from_(from), to_(to), communicator_(communicator), comm_(communicator.engine()), options_(options) {
    copy_options_.verify = options.verify;
    copy_options_.resume = options.resume;
    copy_options_.overwrite = options.overwrite;
    copy_options_.sync = options.sync;
    copy_options_.dry_run = options.dry_run;
    copy_options_.block_bytes = options.block_bytes;
  }

  RepartitionReport run() {
    const base::Stopwatch watch;
    look();
    Pair pair;
    const auto place = comm::agree_alike(comm_, [&] {
      pair = {from_, to_};
      return std::make_unique<PartitionedPlace>(source_, frame_, target_, target_text_, unfinished_name(to_));
    });
    Catalog contents;
    if (options_.verify != Verify::none && !options_.dry_run) {
      contents = contents_of(*place, from_, communicator_);
      comm::agree_at_root(comm_, [&] { require_as_protected(contents); });
    }
    contents.files.clear();  // the place has made one of them
    const auto copy = comm::agree_alike(comm_, [&] {
      return std::make_unique<FileCopy>(comm_, pair, copy_options_, moved_, passage(*place, contents));
    });
    const bool is_new = copy->look();
    if (is_new && !options_.dry_run) {
      copy->move();
      comm::agree_at_root(comm_, [&] { give_name(*place); });
    }
    if (!options_.dry_run && communicator_.is_root()) copy->forget();
    report_.seconds = comm::max_over_ranks(comm_, watch.seconds());
    return report(*copy, is_new);
  }

 private:
  // What is made of it has no sidecar that would tell.
  static void require_as_protected(const Catalog& contents) {
    if (contents.format.empty()) return;
    const std::vector<Finding> damage = io::damage_by_sidecar(contents, Verdict::consistent);
    if (damage.empty()) return;
    throw Error(damage.front().code, damage.front().message + ". Nothing was repartitioned",
                {.path = contents.path, .offset = damage.front().offset});
  }

  void look_at_root() {
    const FileArray array = array_of(options_);
    source_ = partitioned_file(from_, array);
    frame_ = frame_of(source_);
    const PartitionedFile whole = frame_.around(source_);
    const Partition partition = Partition::parse(array.extents.empty() ? whole.partition.array() : array,
                                                 options_.to.empty() ? "whole" : options_.to);
    if (partition.array().end() > whole.bytes) {
      base::fail(Code::invalid_argument, from_,
                 "an array from byte {} to {} does not fit into its {} bytes; check begin, element_bytes and extents",
                 partition.array().begin, partition.array().end(), whole.bytes);
    }
    PartitionedFile written = new_file(to_, whole, partition, split_at_commas(options_.folders));
    target_ = with_whole_paths(written);
    if (options_.resume) look_for_rest(written);
    source_text_ = storage::encode_description(source_);
    target_text_ = storage::encode_description(written);
    storage::Transport& place = storage::resolve(to_);
    if (place.kind(to_) != storage::PathKind::file) return;
    older_ = found_at(to_);
    may_be_there_ = older_ && is_laid_out_alike(*older_, target_);
    replaces_source_ = is_same(place, to_, storage::resolve(from_), from_);
    if (!replaces_source_ || !older_ || older_->is_set == source_.is_set) return;
    base::fail(Code::io, from_,
               "it changed between a set of subfiles and a plain file during this call; repeat the call "
               "when no program writes to it");
  }

  static bool is_same(storage::Transport& place, const std::string& path, storage::Transport& other_place,
                      const std::string& other) {
    return &place == &other_place &&
           storage::is_same_file(place.open_read(path)->identity(), other_place.open_read(other)->identity());
  }

  // The existing file, if it can be read.
  static std::optional<PartitionedFile> found_at(const std::string& path) {
    try {
      return partitioned_file(path, FileArray{.extents = {1}});
    } catch (const Error&) {
      return {};
    }
  }

  // An interrupted call with the same partition is resumed, in its subfiles; leftovers of another one are not.
  void look_for_rest(PartitionedFile& written) {
    const std::string unfinished = unfinished_name(to_), record = copied_name(to_);
    storage::Transport& place = storage::resolve(to_);
    if (place.kind(record) != storage::PathKind::file || place.kind(unfinished) != storage::PathKind::file) return;
    const auto rest = found_at(unfinished);
    if (!target_.is_set && (!rest || !rest->is_set)) return;
    if (rest && is_laid_out_alike(*rest, target_)) {
      for (std::size_t k = 0; k < written.files.size(); ++k) {
        const auto last = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
        std::string& path = written.files[k].path;
        path.replace(path.size() - last(path).size(), std::string::npos, last(rest->files[k].path));
      }
      target_ = with_whole_paths(written);
      return;
    }
    const storage::WriterLock lock = storage::lock_of_copy(to_);
    place.remove(record);
    report_.findings.push_back(
        {.severity = Severity::warning,
         .rule = "repartition-anew",
         .message = fmt::format("{}: the unfinished target has another partition; the call starts over", to_)});
  }

  // Sends the root's results to all ranks.
  void look() {
    bool is_from_set = false, is_to_set = false;
    const auto look_here = [&] {
      look_at_root();
      is_from_set = source_.is_set;
      is_to_set = target_.is_set;
    };
    comm::share_from_root(comm_, look_here, source_text_, target_text_, frame_.before, frame_.behind, is_from_set,
                          is_to_set, may_be_there_, replaces_source_);
    comm::agree_alike(comm_, [&] {
      source_ = storage::decode_description(base::as_bytes(source_text_), from_);
      target_ = with_whole_paths(storage::decode_description(base::as_bytes(target_text_), to_));
    });
    source_.is_set = is_from_set;
    target_.is_set = is_to_set;
    // The only copy will be replaced: it is read again, and so is the new one.
    if (replaces_source_ && options_.verify != Verify::none) copy_options_.verify = Verify::read_back;
  }

  CopyContext passage(PartitionedPlace& place, const Catalog& contents) const {
    const std::uint64_t parts = std::max(source_.files.size(), target_.files.size());
    return {.source = place,
            .target = place,
            .piece_bytes = std::clamp(parts * subfile_piece_bytes, least_piece_bytes, most_piece_bytes),
            .in_pieces = target_.is_set,
            .may_be_there = may_be_there_,
            .catalog = contents};
  }

  void give_name(PartitionedPlace& place) {
    const std::vector<NewName> names{{unfinished_name(to_), to_}};
    io::settle_journal(storage::resolve(to_), to_, options_.sync);
    const bool was_set = older_ && older_->is_set;
    // The description must not be there without its subfiles.
    if (target_.is_set && options_.sync != Sync::none) place.sync_directory(to_);
    publish_set(place, to_, names,
                {.overwrite = options_.overwrite,
                 .older_files = was_set ? 0 : files_of(storage::resolve(to_), to_),
                 .syncs = options_.sync == Sync::full});
  }

  RepartitionReport report(const FileCopy& copy, bool is_new) {
    std::uint64_t moved = copy.moved_bytes();
    comm_.broadcast(std::as_writable_bytes(std::span(&moved, 1)), 0);
    return comm::agree_alike(comm_, [&] {
      if (is_new) {
        report_.files.push_back(to_);
        for (const PartitionedFile::Subfile& file : target_.files) {
          if (target_.is_set) report_.files.push_back(file.path);
        }
      }
      report_.from = source_.partition.text();
      report_.to = target_.partition.text();
      report_.bytes = copy.bytes();
      report_.moved_bytes = moved;
      report_.was_there = !is_new;
      if (communicator_.is_root()) {
        report_.findings.insert(report_.findings.end(), copy.findings().begin(), copy.findings().end());
      }
      return std::move(report_);
    });
  }

  const std::string &from_, &to_;
  const Communicator& communicator_;
  comm::Comm& comm_;
  const RepartitionOptions& options_;
  CopyOptions copy_options_;
  PartitionedFile source_, target_;  // with absolute paths
  Frame frame_;                      // of the source
  std::string source_text_, target_text_;
  std::optional<PartitionedFile> older_;  // of the target's name; at the root
  bool may_be_there_ = false, replaces_source_ = false;
  RepartitionReport report_;
  std::uint64_t done_ = 0;
  const std::function<void(std::uint64_t)> moved_ = [this](std::uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && communicator_.is_root()) options_.progress(done_, frame_.around(source_).bytes);
  };
};

}  // namespace
}  // namespace sets

RepartitionReport repartition(const std::string& from, const std::string& to, const Communicator& communicator,
                              const RepartitionOptions& options) {
  comm::Comm& comm = communicator.engine();
  comm::require_same(comm, [&] {
    std::vector<comm::StatedArgument> all = options::stated("RepartitionOptions", options);
    all.push_back({"from", from});
    all.push_back({"target", to});
    return all;
  });
  comm::agree_alike(comm, [&] {
    if (options.block_bytes == 0) throw Error(Code::invalid_argument, "block_bytes is 0, expected at least 1");
    if (from.empty() || to.empty()) throw Error(Code::invalid_argument, "the path of a file is empty; name it");
  });
  const auto work =
      comm::agree_alike(comm, [&] { return std::make_unique<sets::Repartitioning>(from, to, communicator, options); });
  return work->run();
}

}  // namespace lq
