// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/field_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/float_environment.hpp"
#include "comm/node.hpp"
#include "engine/file_order.hpp"
#include "io/catalog_codec.hpp"
#include "io/observe.hpp"
#include "io/parity.hpp"
#include "io/payload_files.hpp"
#include "io/replacement.hpp"
#include "io/scan.hpp"
#include "io/sites.hpp"
#include "lattice/tiles.hpp"
#include "options/agreed.hpp"

namespace lq::io {

namespace {

// A field without a name is named after its kind.
std::string name_of(const FieldPlan& plan) {
  if (!plan.name.empty()) return plan.name;
  return plan.spec.kind == FieldKind::generic ? "field" : std::string(name(plan.spec.kind));
}

// The end of the first file, including its tiles.
std::uint64_t end_of(const std::vector<format::Literal>& tail, const std::vector<Tile>& tiles) {
  std::uint64_t end = 0;
  for (const format::Literal& literal : tail) {
    if (literal.file == 0) end = std::max(end, literal.offset + literal.bytes.size());
  }
  for (const Tile& tile : tiles) {
    if (tile.file == 0) end = std::max(end, tile.offset + tile.bytes);
  }
  return end;
}

StripeRequest stripe_request(const WriteOptions& options) {
  return {.count = options.stripe_count, .bytes = options.stripe_bytes, .by_size = options.stripes_by_size};
}

// The storage of the first file of a set.
StorageReport storage_of(const NewFile& file) {
  const storage::StorageTraits& unit = file.root_unit();
  return {.file_system = unit.file_system.data(),
          .block_bytes = unit.bytes,
          .single_owner = unit.single_owner,
          .stripes = file.stripes()};
}

// Arguments that all ranks must agree on, whatever is written.
std::vector<comm::StatedArgument> stated(const std::string& path, const WriteOptions& options) {
  format::load_format_of(path, options.format);  // here, so that a failure on one rank becomes the error of all
  std::vector<comm::StatedArgument> arguments = options::stated(options);
  arguments.insert(arguments.begin(), {"the path of the file to write", path});
  return arguments;
}

}  // namespace

FieldWriter::FieldWriter(storage::Transport& transport, const Communicator& communicator, std::string path,
                         WriteOptions options)
    : transport_(transport), communicator_(communicator), path_(std::move(path)), options_(std::move(options)) {
  require_protectable(transport_, path_, options_);
}

FieldWriter::FieldWriter(storage::Transport& transport, const Communicator& communicator, std::string path,
                         WriteOptions options, Continuation before)
    : FieldWriter(transport, communicator, std::move(path), std::move(options)) {
  end_ = before.end;
  before_ = std::move(before);
}

// The data before the next piece, on rank 0.
base::ByteSource* FieldWriter::before() const {
  if (appending_) return &appending_->file_so_far();
  return files_.empty() || end_ == 0 || !communicator_.is_root() ? nullptr : &files_.front()->file();
}

// The requested options that the format supports.
format::Choices FieldWriter::choices_for(const format::RecordFormat& target, std::string_view name) const {
  format::Choices choices = format::choices_of(options_);
  format::refuse_choices(choices, target.known_choices(), name);
  return choices;
}

// All but the layout, if that is made elsewhere.
std::unique_ptr<FieldWriter::Placed> FieldWriter::plan_field(const FieldPlan& plan, bool makes_layout) const {
  auto placed = std::make_unique<Placed>();
  placed->plan = plan;
  format::FieldRequest request;
  request.name = name_of(plan);
  request.spec = plan.spec;
  request.spec.precision = options_.precision.value_or(plan.spec.precision);
  request.extents = plan.extents;
  request.metadata = plan.metadata;
  request.plaquette = plan.plaquette;
  request.link_trace = plan.link_trace;
  request.has_late_observables = plan.has_late_observables;
  request.offset = end_;
  request.first = written_.empty() && (!before_ || before_->begins_message);
  request.checksum = options_.verify != Verify::none;
  request.slice_checksums = request.checksum && options_.slice_checksums;
  request.before = before();
  const format::Format& target = target_format(path_, options_, request.spec, plan.extents);
  placed->format = &target.for_fields();
  request.choices = choices_for(*placed->format, target.name());
  if (!makes_layout) return placed;
  const base::DefaultFloatEnvironment as_in_the_format;
  placed->layout = placed->format->plan(request);
  for (const Payload& payload : placed->layout.payload) require_behind_end(payload);
  // A description refers to its data by name.
  const bool is_described = !placed->layout.payload.empty() && placed->layout.payload.front().file != 0;
  if ((is_described || !placed->layout.suffixes.front().empty()) && options_.verify == Verify::read_back) {
    base::fail(Code::unsupported, {.path = path_},
               "a field in several files cannot be read back before they are published; verify it afterwards");
  }
  const bool goes_on = !files_.empty() || !written_.empty();
  if (placed->layout.payload.size() != 1 || (placed->layout.suffixes.size() != 1 && goes_on)) {
    base::fail(Code::unsupported, {.path = path_},
               "a field in several files must be the first and only one of its set");
  }
  return placed;
}

// Collective. A continued file is open from the first plan on.
void FieldWriter::open_continued() {
  if (!before_ || !files_.empty()) return;
  auto file = comm::agree(communicator_.engine(), [&] {
    files_.reserve(1);
    return std::make_unique<NewFile>(transport_, communicator_, path_);
  });
  const auto go_on = [&] { file->go_on(before_->at); };
  if (before_->in_place) {
    while_held(path_, go_on);
  } else {
    go_on();
  }
  files_.push_back(std::move(file));
  if (!before_->in_place) return;
  comm::agree_at_root(communicator_.engine(), [&] {
    appending_ =
        std::make_unique<Appending>(transport_, files_.front()->file(), options_.sync, *before_->lock, before_->left);
    end_ = appending_->bytes_before();
  });
  communicator_.engine().broadcast(std::as_writable_bytes(std::span(&end_, 1)), 0);
}

// A format that reuses free space would overwrite data before the journal records them.
void FieldWriter::require_behind_end(const Payload& payload) const {
  std::uint64_t first = payload.tiles.empty() ? payload.offset : payload.tiles.front().offset;
  for (const Tile& tile : payload.tiles) first = std::min(first, tile.offset);
  if (!appending_ || first >= appending_->bytes_before()) return;
  base::fail(Code::internal, {}, "{}: refused to overwrite existing data at byte {} of a file of {} bytes", path_,
             first, appending_->bytes_before());
}

// Additional files of a set are named after the first one with a suffix.
std::vector<std::unique_ptr<NewFile>> FieldWriter::new_files(const format::Layout& layout) const {
  std::vector<std::unique_ptr<NewFile>> made;
  for (const std::string& suffix : layout.suffixes) {
    made.push_back(std::make_unique<NewFile>(transport_, communicator_, path_ + suffix));
    made.back()->keep_private(like_);
  }
  return made;
}

// Collective. The root plans a piece of the file, and creates the files if they do not exist; the message
// contains both.
comm::FromRoot FieldWriter::make_at_root(base::FunctionRef<format::Layout&()> plan) {
  return comm::bytes_from_root(communicator_.engine(), [&] {
    const format::Layout& layout = plan();
    std::vector<std::byte> message = encode(layout);
    if (!files_.empty()) {
      files_.front()->require_space(end_, layout.end.front() - end_);
      return message;
    }
    auto files = new_files(layout);
    // Names that an interrupted writer of such a set has not assigned yet also count.
    if (files.size() > 1) settle_replacement(transport_, files.front()->path(), options_.sync);
    for (std::size_t k = 0; k < files.size(); ++k) {
      files[k]->create_at_root(options_.overwrite, layout.end[k], stripe_request(options_));
      files[k]->append_identity(message);
    }
    files_ = std::move(files);
    return message;
  });
}

// Local, on ranks other than the root.
void FieldWriter::learn(const comm::FromRoot& at_root, format::Layout& layout) {
  base::Bytes message = decode(at_root.bytes(), layout);
  if (!files_.empty()) return;
  auto files = new_files(layout);
  for (const auto& file : files) file->take_identity(message);
  files_ = std::move(files);
}

// Collective. A file that grows in place has the size in its journal.
void FieldWriter::set_sizes(const format::Layout& layout) {
  const bool grows_in_place = before_ && before_->in_place;
  const bool is_encoded =
      std::ranges::any_of(layout.payload, [](const Payload& payload) { return !payload.encoding.empty(); });
  if (!has_incoherent_caches_ || grows_in_place || is_encoded) return;
  for (std::size_t k = 0; k < std::min(files_.size(), layout.end.size()); ++k) {
    files_[k]->resize(layout.end[k]);
    files_[k]->tell_size(layout.end[k]);  // for clients that have opened it since an earlier field
  }
}

// At the root. Writes each literal to its file.
void FieldWriter::write(const std::vector<format::Literal>& literals) {
  if (before_ && before_->in_place) return appending_->write(literals);
  for (const format::Literal& one : literals) files_[static_cast<std::size_t>(one.file)]->write_here(one);
}

// At the root.
void FieldWriter::write_bulk(const std::vector<format::Bulk>& bulk) const {
  std::vector<std::byte> buffer(bulk.empty() ? 0 : base::mebi);
  for (const format::Bulk& one : bulk) {
    const NewFile& file = *files_[static_cast<std::size_t>(one.file)];
    for (std::uint64_t at = 0; at < one.length; at += buffer.size()) {
      const auto piece = base::MutableBytes(buffer).first(std::min<std::uint64_t>(buffer.size(), one.length - at));
      one.fill(at, piece);
      file.named([&] { file.file().write_at(one.offset + at, piece); });
    }
  }
}

void FieldWriter::named(base::FunctionRef<void()> work) const {
  const auto named_from = [&](const auto& self, std::size_t k) -> void {
    if (k == files_.size()) return work();
    files_[k]->named([&] { self(self, k + 1); });
  };
  named_from(named_from, 0);
}

Report FieldWriter::describe(const FieldPlan& plan, const FieldSpec& in_file) const {
  Report report;
  report.path = files_.empty() ? path_ : files_.front()->path();
  const format::Format& target = target_format(path_, options_, in_file, plan.extents);
  report.format = target.name();
  report.field = name_of(plan);
  report.spec = in_file;
  report.extents = plan.extents;
  report.ranks = communicator_.size();
  report.written = true;
  if (!files_.empty()) report.storage = storage_of(*files_.front());
  if (const std::string advice = format::advice_of(target.for_fields(), in_file); !advice.empty()) {
    report.warnings.push_back(path_ + ": " + advice);
  }
  return report;
}

Report FieldWriter::dry_run_write(const FieldPlan& plan) {
  const std::unique_ptr<Placed> placed = plan_field(plan, true);
  const Payload& payload = placed->payload();
  written_.push_back({payload, {}, nullptr});
  end_ = placed->layout.end.front();
  Report report = describe(plan, payload.spec);
  report.bytes = payload.length;
  return report;
}

void FieldWriter::require_space() const { io::require_space(transport_, path_, end_); }

comm::FromRoot FieldWriter::place_at_root(const FieldPlan& plan) {
  open_continued();
  return make_at_root([&]() -> format::Layout& {
    named([&] { at_root_ = plan_field(plan, true); });
    return at_root_->layout;
  });
}

std::unique_ptr<FieldWriter::Placed> FieldWriter::placed(const FieldPlan& plan, const comm::FromRoot& at_root) {
  written_.reserve(written_.size() + 1);
  std::unique_ptr<Placed> placed = std::move(at_root_);
  if (!communicator_.is_root()) {
    named([&] { placed = plan_field(plan, false); });
    learn(at_root, placed->layout);
  }
  placed->seen = files_.front()->seen();
  client_ = placed->seen.client;
  return placed;
}

std::unique_ptr<FieldWriter::Placed> FieldWriter::place(const FieldPlan& plan) {
  const comm::FromRoot at_root = place_at_root(plan);
  return comm::agree(communicator_.engine(), [&] { return placed(plan, at_root); });
}

void FieldWriter::set_sizes(const Placed& placed, bool has_incoherent_caches) {
  has_incoherent_caches_ = has_incoherent_caches_ || has_incoherent_caches;
  set_sizes(placed.layout);
}

std::vector<storage::File*> FieldWriter::open(const Placed& placed, bool touches_file) {
  for (const auto& file : files_) {
    if (touches_file) file->open_here();
  }
  if (communicator_.is_root()) {
    write(placed.layout.head);
    write_bulk(placed.layout.bulk);
  }
  std::vector<storage::File*> opened;
  for (const auto& file : files_) opened.push_back(touches_file ? &file->file() : nullptr);
  return opened;
}

std::vector<std::string> FieldWriter::temporary_paths() const {
  std::vector<std::string> paths;
  for (const auto& file : files_) paths.push_back(file->temporary_path());
  return paths;
}

// Collective. Sums for the parts whose plaquettes the tail states, from the written data.
std::vector<double> FieldWriter::plaquette_sums(const Placed& placed, const std::vector<Box>& parts) {
  comm::Comm& comm = communicator_.engine();
  for (const auto& file : files_) file->sync(has_incoherent_caches_ ? Sync::data : Sync::none);
  std::vector<std::uint64_t> words = comm::agree(comm, [&] {
    std::vector<std::uint64_t> mine(parts.size());
    const lattice::Share share = lattice::share_of(parts.size(), static_cast<std::uint64_t>(comm.size()),
                                                   static_cast<std::uint64_t>(comm.rank()));
    if (share.begin == share.end) return mine;
    named([&] {
      const Payload& payload = placed.payload();
      const PayloadFiles files(transport_, temporary_paths(), payload, placed.format->tile_codec(payload.encoding));
      for (std::uint64_t k = share.begin; k < share.end; ++k) {
        const auto part = static_cast<std::size_t>(k);
        mine[part] = std::bit_cast<std::uint64_t>(plaquette_sum(files.sequence(), payload, parts[part]));
      }
    });
    return mine;
  });
  comm.all_reduce(words, comm::Reduce::sum);  // each entry comes from one rank
  return comm::agree(comm, [&] {
    std::vector<double> sums;
    for (const std::uint64_t word : words) sums.push_back(std::bit_cast<double>(word));
    return sums;
  });
}

Report FieldWriter::finish(const Placed& placed, base::FunctionRef<format::Digest()> make_digest,
                           base::FunctionRef<void(Report&)> describe_more) {
  comm::Comm& comm = communicator_.engine();
  const format::Layout& layout = placed.layout;
  std::vector<double> plaquettes;
  if (!layout.plaquettes_of.empty()) plaquettes = plaquette_sums(placed, layout.plaquettes_of);
  const bool is_encoded = !placed.payload().encoding.empty();
  const bool checksum = options_.verify != Verify::none;
  std::uint64_t end = layout.end.front();
  std::array<comm::Term, 3> terms{};
  Report report = comm::agree(comm, terms, [&] {
    const base::DefaultFloatEnvironment as_in_the_format;
    format::Digest digest = make_digest();
    digest.plaquette_sums = std::move(plaquettes);
    std::vector<format::Literal> tail;
    if (layout.tail) named([&] { tail = layout.tail(digest); });
    if (is_encoded && placed.payload().file == 0) end = end_of(tail, digest.tiles);
    const Payload& payload = placed.payload();
    Report made = describe(placed.plan, payload.spec);
    if (checksum) made.stored = digest.sums.checksum();
    made.status = checksum ? ChecksumStatus::ok : ChecksumStatus::absent;
    describe_more(made);
    if (communicator_.is_root()) write(tail);
    written_.push_back({payload, std::move(digest.sums), placed.format->tile_codec(payload.encoding)});
    written_.back().payload.tiles = std::move(digest.tiles);
    double reserve = 0;
    for (const auto& file : files_) reserve += file->take_reserve_seconds();
    terms[1] = comm::seconds_term(reserve);
    terms[2] = comm::seconds_term(placed.watch.seconds());
    return made;
  });
  if (is_encoded) comm.broadcast(std::as_writable_bytes(std::span(&end, 1)), 0);
  end_ = end;
  report.seconds.reserve = comm::seconds_of(terms[1]);
  report.seconds.total = comm::seconds_of(terms[2]);
  return report;
}

void FieldWriter::append_record(const std::string& type, std::string_view contents) {
  comm::Comm& comm = communicator_.engine();
  comm::require_same(comm, [&] {
    std::vector<comm::StatedArgument> arguments = stated(path_, options_);
    arguments.push_back({"the type of the record", type});
    return arguments;
  });
  open_continued();
  std::optional<format::Layout> made;  // allocates even if empty
  const comm::FromRoot at_root = make_at_root([&]() -> format::Layout& {
    format::RecordRequest request{type, contents, end_, end_ == 0};
    request.before = before();
    const format::Format& target = target_format(path_, options_, FieldSpec{}, Extents{});
    request.choices = choices_for(target.for_records(), target.name());
    named([&] { made = target.for_records().plan_record(request); });
    return *made;
  });
  comm::agree(comm, [&] {
    if (!communicator_.is_root()) learn(at_root, made.emplace());
  });
  const format::Layout& layout = *made;
  set_sizes(layout);
  comm::agree_at_root(comm, [&] { write(layout.head); });
  end_ = layout.end.front();
}

void FieldWriter::complete(Report& report) {
  comm::Comm& comm = communicator_.engine();
  if (files_.empty()) {
    comm::agree_alike(comm, [&] {
      base::fail(Code::wrong_state, {.path = path_},
                 "cannot complete the file: no field or record was written. Write at least one first");
    });
  }
  const base::Stopwatch watch;
  if (before_ && before_->in_place) commit_in_place();
  if (has_incoherent_caches_) {
    // A client that opened the file before it grew keeps the old size indefinitely.
    if (before_) files_.front()->open_for_writing(true);
    files_.front()->tell_size(end_);
  }
  std::array<comm::Term, 2> terms{};
  comm::agree(comm, terms, [&] {
    for (const auto& file : files_) file->finish_here(sync());
    terms[1] = comm::seconds_term(watch.seconds());
  });
  const double sync_seconds = comm::seconds_of(terms[1]);
  double seconds = sync_seconds;
  if (options_.verify == Verify::read_back) {
    read_back(report);
    seconds = comm::max_over_ranks(comm, watch.seconds());
  }
  report.seconds.sync += sync_seconds;
  report.seconds.total += seconds;
}

void FieldWriter::in_place(base::FunctionRef<void()> work) {
  try {
    work();
  } catch (const Error& error) {
    if (appending_ && error.code() == Code::communication) appending_->leave_to_next();
    throw;
  }
}

// The data are on disk before any header refers to them.
void FieldWriter::commit_in_place() {
  files_.front()->sync(sync());
  comm::agree_at_root(communicator_.engine(), [&] {
    appending_->commit(end_);
    appending_.reset();
  });
}

void FieldWriter::commit(Report& report) {
  complete(report);
  publish(report);
}

void FieldWriter::publish(Report& report) {
  std::vector<std::string> paths;
  if (!options_.protect.empty()) {
    comm::agree_alike(communicator_.engine(), [&] {
      for (const auto& file : files_) paths.push_back(file->path());
    });
  }
  const double seconds = NewFile::publish_set(files_, options_.sync);
  report.seconds.sync += seconds;
  report.seconds.total += seconds;
  files_.clear();
  if (options_.protect.empty()) return;
  const base::Stopwatch watch;
  protect_written(communicator_, paths, options_);
  report.seconds.total += comm::max_over_ranks(communicator_.engine(), watch.seconds());
}

// Checks headers and texts by a scan, as any reader does; then the data of every field.
void FieldWriter::read_back(Report& report) {
  comm::Comm& comm = communicator_.engine();
  std::shared_ptr<ScannedFile> file;
  std::exception_ptr failure;  // the same on all ranks
  base::keep_failure(
      failure, [&] { file = ScannedFile::open(transport_, files_.front()->temporary_path(), communicator_, {}); });
  comm::agree_alike(comm, [&] {
    named([&] {
      if (failure) std::rethrow_exception(failure);
      file->catalog().require_sound();
    });
  });
  const Catalog& catalog = file->catalog();
  // After fields that another writer stored there.
  const auto fields = std::span(catalog.fields).last(std::min(catalog.fields.size(), written_.size()));
  const bool all_there = std::ranges::equal(fields, written_, [](const FieldEntry& entry, const Written& written) {
    return entry.sums == written.sums && entry.payload.offset == written.payload.offset &&
           entry.payload.length == written.payload.length && entry.payload.tiles == written.payload.tiles;
  });
  comm::agree_alike(comm, [&] {
    if (all_there) return;
    base::fail(Code::checksum_mismatch, {.path = path_},
               "the records read back differ from those written; the file was not published");
  });
  const std::uint64_t shift = has_incoherent_caches_ ? shift_to_other_clients(comm, client_) : 1;
  for (const Written& written : written_) read_back(written, shift, report);
  report.read_back = true;
}

void FieldWriter::read_back(const Written& written, std::uint64_t shift, Report& report) {
  comm::Comm& comm = communicator_.engine();
  const Payload& payload = written.payload;
  const int threads = comm::thread_count(comm, options_.route.threads, payload.length);
  engine::TransferStats stats = comm::agree(comm, [&] {
    engine::TransferStats passed(payload, written.sums.names());
    // A rank reads what another one wrote, so that its own cache cannot hide an error of the file.
    const auto ranks = static_cast<std::uint64_t>(comm.size());
    const engine::PartIndex part{ranks, (static_cast<std::uint64_t>(comm.rank()) + shift) % ranks};
    if (part.number >= payload.stored.volume()) return passed;
    named([&] {
      const PayloadFiles files(transport_, temporary_paths(), payload, written.tile_codec);
      engine::checksum_sites(
          files.sequence(), payload, part,
          engine::block_options(payload, options_.block_bytes, threads,
                                engine::granted_memory(options_.route.memory_bytes, 0), files.are_thread_safe()),
          passed);
    });
    return passed;
  });
  stats.reduce(comm);
  report.zeros = stats.zeros;
  comm::agree_alike(comm, [&] {
    const Sums found = stats.sums.values();
    if (found == written.sums) return;
    const std::string zeros =
        stats.zeros.sites == 0
            ? ""
            : fmt::format(" ({} sites came back as zeros: the file system lost writes)", stats.zeros.sites);
    base::fail(
        Code::checksum_mismatch,
        {.path = path_, .offset = payload.offset, .expected = to_string(written.sums), .found = to_string(found)},
        "the data read back have checksum {}, the data written {}{}; the file was not published", to_string(found),
        to_string(written.sums), zeros);
  });
}

const format::Format& target_format(const std::string& path, const WriteOptions& options, const FieldSpec& spec,
                                    const Extents& extents) {
  return options.format.empty() ? format::format_for(path, spec, extents) : format::format_named(options.format);
}

std::vector<comm::StatedArgument> stated_request(const std::string& path, const WriteOptions& options,
                                                 const FieldSpec& spec, const std::string& name,
                                                 const Metadata& metadata) {
  std::vector<comm::StatedArgument> arguments = stated(path, options);
  // Decides the sizes in the file: ranks with different precisions must be told which one to write.
  arguments.push_back({"the precision to write", std::string(lq::name(options.precision.value_or(spec.precision)))});
  arguments.push_back({"the name of the field", name});
  arguments.push_back({"the kind of field", fmt::format("{}, {} colors, {} spins, {} links, {} {} numbers per site",
                                                        lq::name(spec.kind), spec.colors, spec.spins, spec.links,
                                                        spec.numbers, spec.is_complex ? "complex" : "real")});
  std::string texts;
  for (const auto& [key, value] : metadata) texts += fmt::format("{} = {}; ", key, value);
  arguments.push_back({"the metadata", std::move(texts)});
  return arguments;
}

std::vector<comm::StatedArgument> stated_conversion(const std::string& from, const std::string& to,
                                                    const ConvertOptions& options) {
  std::vector<comm::StatedArgument> arguments =
      stated_request(to, options.write, FieldSpec{}, from, options.write.metadata);
  std::ranges::move(options::stated("ConvertOptions", options), std::back_inserter(arguments));
  return arguments;
}

}  // namespace lq::io
