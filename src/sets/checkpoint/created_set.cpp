// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A new set. The ranks of a physical file form a group whose first rank, its keeper, writes its metadata: one write
// when it is created, one when it is closed. Files are renamed when all of them are complete, file 0 last.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/path.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/pack.hpp"
#include "comm/tree.hpp"
#include "comm/wire.hpp"
#include "format/sion/geometry.hpp"
#include "format/sion/set.hpp"
#include "io/new_file.hpp"
#include "sets/checkpoint/closing.hpp"
#include "sets/checkpoint/new_set.hpp"
#include "sets/checkpoint/set_fields.hpp"
#include "sets/checkpoint/set_tables.hpp"
#include "storage/owners.hpp"

namespace lq::sets {
namespace {

namespace sion = format::sion;

class CreatedSet final : public NewSet {
 public:
  CreatedSet(storage::Transport& transport, const std::string& path, const Communicator& communicator,
             const MultifileOptions& options)
      : NewSet(transport, path, communicator, options) {
    require_options(options_, path_);
    frame_bound_ = frame_bound(settings());
  }
  void begin() override;

 private:
  void choose();
  void form_groups();
  void choose_block();
  void lay_out();
  void create_file(std::vector<std::byte> bytes, std::uint64_t expected);
  void open_streams(std::uint64_t start, std::uint64_t width, std::uint64_t first_task);
  sion::Tail map_of_set(sion::ChunkTable table) const;
  void require_own() override;
  FieldsWriter::Start open_fields() override;
  std::uint64_t fields() const noexcept { return fields_ ? fields_->fields() : 0; }

  void finish() override;
  void close_handle();
  void tell_end();
  void publish() override;
  void publish_at_root();
  void remove() override;
  std::string shown_path() const override { return part_name(path_, generation_); }

  bool keeps_file() const noexcept { return group_->rank() == 0; }

  std::int32_t files_ = 1;
  std::int32_t file_ = 0;  // of this rank
  std::shared_ptr<comm::Comm> own_group_;
  comm::Comm* group_ = nullptr;  // of the file
  std::string name_;             // of the file
  std::string part_;
  std::string fields_part_;      // of the file of fields
  bool created_ = false;         // on the keeper: the part exists
  bool created_fields_ = false;  // on rank 0: the file of fields exists, too
  std::uint64_t unit_bytes_ = 0;
  std::uint64_t frame_bound_ = 0;
  std::int32_t block_ = 0;
  std::int64_t first_task_ = 0;                        // of this rank, in the set
  std::uint64_t local_tasks_ = 0, tasks_of_file_ = 0;  // below this rank in the file; of the file
  std::vector<std::uint64_t> tasks_of_files_;          // on rank 0
  std::int32_t older_files_ = 0;                       // on rank 0: of the replaced set
  SetRecord record_;
  std::uint64_t start_ = 0, skip_ = 0;  // of the file
  storage::Owners owners_;
  std::unique_ptr<storage::File> handle_;
};

void CreatedSet::begin() {
  choose();
  form_groups();
  choose_block();
  try {
    lay_out();
  } catch (...) {
    remove();
    throw;
  }
}

// Choices of rank 0 for all, including whether any rank must avoid blocks of others.
void CreatedSet::choose() {
  std::array<comm::Term, 1 + storage::CombinedTraits::terms + 4> terms{};
  const auto seen = std::span(terms).subspan<1, storage::CombinedTraits::terms>();
  const auto chosen = std::span(terms).subspan<1 + storage::CombinedTraits::terms, 4>();
  comm::agree(all(), terms, [&] {
    const std::string folder = base::directory_of(path_);
    owners_.unit = transport_.unit(folder);
    storage::CombinedTraits::tell(seen, owners_.unit, storage::client_of(transport_, folder, owners_.unit));
    chosen[3].value = options_.streams == 0 ? 1 : 0;
    if (all().rank() > 0) return;
    io::require_target(transport_, path_, options_.overwrite);
    if (options_.overwrite) older_files_ = files_of(transport_, path_);
    const Generation generation = new_generation();
    const std::int32_t files =
        options_.files > 0 ? options_.files : choose_files(owners_.unit.one_writer, all().size());
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), generation.bytes.data(), sizeof generation.bytes);
    chosen[0].value = words[0];
    chosen[1].value = words[1];
    chosen[2].value = static_cast<std::uint64_t>(files);
  });
  const std::array<std::uint64_t, 2> words{chosen[0].value, chosen[1].value};
  std::memcpy(generation_.bytes.data(), words.data(), sizeof generation_.bytes);
  files_ = static_cast<std::int32_t>(chosen[2].value);
  owners_.unit = storage::CombinedTraits::strictest(seen, owners_.unit);
  unit_bytes_ = owners_.unit.bytes;
  owners_.are_one_client =
      !owners_.unit.single_owner || (all().node().is_only() && storage::CombinedTraits::have_one_client(seen));
  // Each file needs a task; users who request more files than one give their number.
  const bool some_rank_has_no_stream = chosen[3].value != 0;
  if (options_.files == 0 && some_rank_has_no_stream) files_ = 1;
}

// Collective only if there are several files.
void CreatedSet::form_groups() {
  const auto know_own_file = [&] {
    if (files_ > all().size()) {
      base::fail(Code::invalid_argument, path_, "{} physical files for {} ranks; choose at most the number of ranks",
                 files_, all().size());
    }
    file_ = file_of_rank(all().rank(), all().size(), files_);
    if (files_ > 1) own_group_ = all().split(file_, all().rank());
  };
  if (files_ > 1) comm::agree(all(), know_own_file);
  group_ = files_ > 1 ? own_group_.get() : &all();
}

void CreatedSet::choose_block() {
  const auto mine = static_cast<std::uint64_t>(options_.streams);
  const comm::Sums in_set = comm::exclusive_sums(all(), std::span(&mine, 1));
  const comm::Sums in_file = files_ > 1 ? comm::exclusive_sums(*group_, std::span(&mine, 1)) : in_set;
  first_task_ = static_cast<std::int64_t>(in_set.before[0]);
  tasks_ = static_cast<std::int64_t>(in_set.total[0]);
  local_tasks_ = in_file.before[0];
  tasks_of_file_ = in_file.total[0];
  std::exception_ptr failure;  // at the root
  comm::take_part(failure, [&] {
    comm::gather_records(all(), std::span<const std::uint64_t>(&tasks_of_file_, keeps_file() ? 1 : 0), 0,
                         [&](std::uint64_t tasks) { tasks_of_files_.push_back(tasks); });
  });
  block_ = comm::decide_at_root(all(), [&] {
    if (failure) std::rethrow_exception(failure);
    if (tasks_ > std::numeric_limits<std::int32_t>::max() || std::ranges::count(tasks_of_files_, 0U) > 0) {
      base::fail(Code::invalid_argument, path_,
                 "{} tasks in {} files; each file needs one, and a set has less than 2^31", tasks_, files_);
    }
    return sets::choose_block(unit_bytes_, tasks_of_files_);
  });
}

void CreatedSet::lay_out() {
  const auto block = static_cast<std::uint64_t>(block_);
  const std::uint64_t width = choose_width(options_.expected_bytes, block, options_.compression, frame_bound_);
  const auto streams = static_cast<std::uint64_t>(options_.streams);
  const std::array<std::uint64_t, 2> mine{width * streams, expected_of(options_)};
  const comm::Sums widths = comm::exclusive_sums(*group_, mine);
  start_ = sion::round_up(sion::head_bytes(static_cast<std::int32_t>(tasks_of_file_)), block);
  skip_ = widths.total[0];
  record_ = {generation_,
             options_.compression,
             options_.checksums,
             static_cast<std::uint32_t>(file_),
             static_cast<std::uint32_t>(tasks_of_file_),
             0};
  comm::agree(all(), [&] {
    std::vector<std::byte> bytes =
        gather_head(*group_, {first_task_, static_cast<std::uint64_t>(options_.streams), width}, tasks_of_file_);
    name_ = sion::file_name(path_, file_);
    part_ = part_name(name_, generation_);
    fields_part_ = part_name(fields_name(path_), generation_);
    if (keeps_file()) create_file(std::move(bytes), widths.total[1]);
  });
  comm::agree(all(), [&] { open_streams(start_ + widths.before[0], width, local_tasks_); });
}

// Opened by its keeper and written once: header, and the record after it.
void CreatedSet::create_file(std::vector<std::byte> bytes, std::uint64_t expected) {
  if (file_ > 0) io::require_target(transport_, name_, options_.overwrite);
  sion::FixedHead head;
  head.block_size = block_;
  head.tasks = static_cast<std::int32_t>(tasks_of_file_);
  head.files = files_;
  head.file_number = file_;
  head.prefix = path_.substr(0, sion::prefix_bytes - 1);
  handle_ = create_file_of_tasks(part_, expected);
  created_ = true;
  write_head(*handle_, head, std::move(bytes), record_);
  sync_head(*handle_);
}

void CreatedSet::open_streams(std::uint64_t start, std::uint64_t width, std::uint64_t first_task) {
  if (options_.streams > 0 && handle_ == nullptr) handle_ = transport_.open_write(part_);
  StreamSettings how = settings();
  how.claim = record_;
  how.folder = &transport_;
  for (std::int32_t i = 0; i < options_.streams; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const StreamPlace place{{start + number * width, width, skip_},
                            static_cast<std::uint32_t>(file_),
                            static_cast<std::uint32_t>(first_task + number),
                            first_task_ + i};
    streams_.push_back(std::make_unique<StreamWriter>(*handle_, place, how));
  }
}

sion::Tail CreatedSet::map_of_set(sion::ChunkTable table) const {
  sion::Tail tail;
  tail.table = std::move(table);
  if (files_ == 1 || file_ != 0) return tail;
  tail.map.emplace();
  for (std::size_t file = 0; file < tasks_of_files_.size(); ++file) {
    for (std::uint64_t task = 0; task < tasks_of_files_[file]; ++task) {
      tail.map->push_back({static_cast<std::int32_t>(file), static_cast<std::int32_t>(task)});
    }
  }
  return tail;
}

void CreatedSet::require_own() {
  if (handle_) require_epoch(*handle_, record_);
}

FieldsWriter::Start CreatedSet::open_fields() {
  FieldsWriter::Start start;
  const auto create = [&] {
    start = create_fields(transport_, path_, generation_, options_.overwrite);
    created_fields_ = true;
  };
  comm::share_from_root(all(), create, start);
  return start;
}

void CreatedSet::finish() {
  // Nothing is written if the part of a rank is missing in the table.
  GatheredTable gathered = comm::agree(all(), [&] {
    return gather_table(*group_, streams_, options_.compression != Compression::none, tasks_of_file_);
  });
  comm::agree(all(), [&] {
    if (keeps_file()) {
      require_own();
      Closing closing;
      closing.record = record_;
      closing.tail = map_of_set(std::move(gathered.table));
      closing.sizes = std::move(gathered.sizes);
      closing.start = start_;
      closing.skip = skip_;
      if (file_ == 0) closing.fields = static_cast<std::uint32_t>(fields());
      close_file(*handle_, closing);
    }
    if (!owners_.have_incoherent_caches()) close_handle();
  });
  if (owners_.have_incoherent_caches()) {
    tell_end();
    comm::agree(all(), [&] { close_handle(); });
  }
  if (files_ == 1) return;
  comm::agree(all(), [&] {
    if (keeps_file() && file_ > 0) give_name(transport_, path_, part_, name_, options_.overwrite);
  });
}

// Every writer syncs: a client of a parallel file system flushes its own pages only.
void CreatedSet::close_handle() {
  if (handle_ == nullptr) return;
  if (owners_.sync(options_.sync) != Sync::none) handle_->sync();
  handle_->close();
  handle_.reset();
}

// The keeper wrote last.
void CreatedSet::tell_end() {
  std::uint64_t end = 0;
  comm::agree(all(), [&] {
    if (keeps_file()) end = handle_->size();
  });
  group_->broadcast(std::as_writable_bytes(std::span(&end, 1)), 0);
  comm::agree(all(), [&] {
    if (handle_) storage::tell_size(*handle_, end);
  });
}

// Renames the rest. Until its first file is renamed, messages use the temporary name of the set.
void CreatedSet::publish() {
  comm::decide_at_root(all(), [&] {
    try {
      publish_at_root();
    } catch (...) {
      const Error error = comm::error_of(std::current_exception());
      if (transport_.kind(part_) == storage::PathKind::file) throw_with_remedy(error);
      throw;
    }
    created_ = false;
  });
}

void CreatedSet::publish_at_root() {
  const bool has_fields = fields() > 0;
  if (!has_fields && created_fields_) remove_quietly(transport_, fields_part_);  // failed fields
  std::vector<NewName> names;
  if (has_fields) names.push_back({fields_->at(), fields_->name()});
  names.push_back({part_, name_});
  publish_set(transport_, path_, names,
              {.files = files_,
               .has_fields = has_fields,
               .overwrite = options_.overwrite,
               .older_files = older_files_,
               .syncs = options_.sync == Sync::full});
}

void CreatedSet::remove() {
  streams_.clear();
  handle_.reset();
  if (created_) remove_quietly(transport_, part_);
  if (created_fields_) remove_quietly(transport_, fields_part_);
  created_ = created_fields_ = false;
}

}  // namespace

std::unique_ptr<NewSet> create_set(storage::Transport& transport, const std::string& path,
                                   const Communicator& communicator, const MultifileOptions& options) {
  return begin_set<CreatedSet>(transport, path, communicator, options);
}

}  // namespace lq::sets
