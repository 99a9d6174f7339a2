// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sets opened for reading, with the public MultifileReader and InStream.
#include "sets/checkpoint/open_set.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "io/replacement.hpp"
#include "io/transfer.hpp"
#include "options/agreed.hpp"

namespace lq {

// Also contains the public InStream.

namespace sets {

void Window::add(std::unique_ptr<StreamReader> reader, std::uint64_t from, std::uint64_t bytes) {
  if (bytes == 0) return;
  pieces_.push_back({std::move(reader), from});
  ends_.push_back(size() + bytes);
}

std::size_t Window::read_at(std::uint64_t where, base::MutableBytes buffer) {
  std::size_t done = 0;
  auto piece = static_cast<std::size_t>(std::ranges::upper_bound(ends_, where) - ends_.begin());
  for (; piece < pieces_.size() && done < buffer.size(); ++piece) {
    const std::uint64_t begin = piece == 0 ? 0 : ends_[piece - 1];
    const std::uint64_t inside = where + done - begin;
    const std::uint64_t rest = ends_[piece] - begin - inside;
    const base::MutableBytes part = buffer.subspan(done, std::min<std::uint64_t>(rest, buffer.size() - done));
    done += pieces_[piece].reader->read_at(pieces_[piece].from + inside, part);
  }
  return done;
}

}  // namespace sets

InStream::InStream(std::unique_ptr<sets::Window> window) : window_(std::move(window)) {}
InStream::~InStream() = default;
InStream::InStream(InStream&&) noexcept = default;
InStream& InStream::operator=(InStream&&) noexcept = default;

std::size_t InStream::read(std::span<std::byte> buffer) {
  const std::size_t got = window_->read_at(window_->position, buffer);
  window_->position += got;
  return got;
}

bool InStream::read_whole(std::span<std::byte> buffer) {
  const std::uint64_t begin = position();
  const std::size_t got = read(buffer);
  if (got == buffer.size()) return true;
  if (got == 0) return false;
  throw Error(Code::truncated, fmt::format("the stream ends at byte {}, but {} bytes were to be read from byte {}",
                                           size(), buffer.size(), begin));
}

std::vector<std::byte> InStream::read_all() {
  std::vector<std::byte> all;
  constexpr std::size_t step = 16 << 20;  // a table may claim any size; memory grows with the actual data
  while (position() < size()) {
    const std::size_t before = all.size();
    all.resize(before + std::min<std::uint64_t>(size() - position(), std::max(step, before)));
    all.resize(before + read(std::span(all).subspan(before)));
  }
  return all;
}

bool InStream::read_line(std::string& line) {
  constexpr std::size_t longest = std::size_t{1} << 30;
  line.clear();
  if (position() >= size()) return false;
  std::array<std::byte, 4096> piece;
  while (line.size() < longest) {
    const std::size_t got = window_->read_at(position(), piece);
    const auto end = std::find(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got), std::byte{'\n'});
    const auto taken = static_cast<std::size_t>(end - piece.begin());
    line.append(base::as_text(base::Bytes(piece).first(taken)));
    window_->position += taken < got ? taken + 1 : taken;
    if (taken < got || got == 0) return true;
  }
  throw Error(Code::too_large, fmt::format("a line of more than {} bytes; read the stream as bytes", longest));
}

void InStream::seek(std::uint64_t position) {
  if (position > size()) {
    throw Error(Code::invalid_argument, fmt::format("cannot seek to byte {}: the stream has {}", position, size()));
  }
  window_->position = position;
}

std::uint64_t InStream::position() const noexcept { return window_->position; }
std::uint64_t InStream::size() const noexcept { return window_->size(); }

namespace sets {

std::unique_ptr<OpenSet> OpenSet::open(storage::Transport& transport, const std::string& path,
                                       const Communicator& communicator, const MultifileReadOptions& options) {
  std::unique_ptr<OpenSet> set;
  comm::require_same(communicator.engine(), [&] {
    set = std::make_unique<OpenSet>(transport);
    if (options.record_bytes == 0) throw Error(Code::invalid_argument, "records have at least 1 byte, not 0");
    std::vector<comm::StatedArgument> arguments = options::stated("MultifileReadOptions", options);
    arguments.push_back({"the path of the set to read", path});
    return arguments;
  });
  set->begin(path, communicator, options);
  return set;
}

void OpenSet::begin(const std::string& path, const Communicator& communicator, const MultifileReadOptions& options) {
  comm::Comm& comm = communicator.engine();
  settings_.verify = options.verify != Verify::none;
  io::use_same_files(comm, files_->transport(), [&] { find(path, comm, options); });
  open_fields(communicator);
}

// Finds the tables and their files, whose names may refer to successors at any time.
void OpenSet::find(const std::string& path, comm::Comm& comm, const MultifileReadOptions& options) {
  SetTables tables =
      read_tables(files_->transport(), path, comm,
                  {settings_.verify, options.accept_missing ? MissingFiles::stood_in_for : MissingFiles::refused});
  settings_.record = tables.record;
  const auto scatter = comm::agree(comm, [&] {
    info_ = std::move(tables.info);
    problem_ = std::move(tables.fields_problem);
    return std::make_unique<ShareScatter>(comm, tables.parts, tables.mine, options.record_bytes);
  });
  comm::agree(comm, [&] {
    // Files of other programs do not identify their set.
    if (!info_.has_records && info_.files.size() > 1) require_one_version(path);
    share_ = scatter->run();
    files_->set_paths(info_.files);
    if (comm.size() > 1) open_dealt(tables.opened);
  });
}

void OpenSet::require_one_version(const std::string& path) {
  io::require_no_replacement(transport_, path);
  if (files_->transport().mean_the_same()) return;
  base::fail(Code::io, path, "its files were replaced while they were opened; open it again");
}

// Opens the files of this rank's streams, which other ranks examined.
void OpenSet::open_dealt(const std::vector<storage::Identity>& opened) {
  for (std::size_t number = 0; number < opened.size(); ++number) {
    if (opened[number].inode != 0) files_->transport().expect(info_.files[number], opened[number]);
  }
  open_dealt();
}

// Other errors of a file are reported when its streams are read.
void OpenSet::open_dealt() {
  for (const std::vector<TaskEntry>* entries : {&share_.dealt, &share_.windowed}) {
    for (const TaskEntry& entry : *entries) {
      try {
        files_->file(entry.place.file);
      } catch (const Error&) {
        if (files_->transport().has_seen_replacement()) throw;
      }
    }
  }
}

// Damage to fields is reported when they are read.
void OpenSet::open_fields(const Communicator& communicator) {
  if (info_.fields_file.empty()) return;
  fields_file_ = io::ScannedFile::open(transport_, info_.fields_file, communicator, {});
  comm::agree_alike(communicator.engine(), [&] { sort_out_fields(); });
}

void OpenSet::sort_out_fields() {
  const Catalog& catalog = fields_file_->catalog();
  found_fields_ = sort_fields(catalog, settings_.record->generation);
  for (const SetField& field : found_fields_.intact) fields_.push_back(describe(catalog, field));
  if (fields_.size() >= info_.fields) return;
  const std::string why = found_fields_.broken.empty()
                              ? std::string("the file was truncated")
                              : fmt::format("at byte {} \"{}\": {}", found_fields_.broken.front().offset,
                                            found_fields_.broken.front().name, found_fields_.broken.front().what);
  problem_.emplace(Code::malformed,
                   fmt::format("{}: of the {} fields of the set {} can be read ({}); restore the file from a copy",
                               info_.fields_file, info_.fields, fields_.size(), why),
                   ErrorFacts{.path = info_.fields_file});
}

const std::vector<MultifileField>& OpenSet::fields() const {
  if (fields_.empty() && problem_) throw *problem_;  // not the answer of a set without fields
  return fields_;
}

const FieldEntry& OpenSet::entry_of_field(const std::string& name) const {
  std::string names;
  for (const SetField& field : found_fields_.intact) {
    if (field.note.name == name) return fields_file_->catalog().fields[field.entry];
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", field.note.name);
  }
  if (problem_) throw *problem_;
  base::fail(Code::no_such_record, {.path = info_.path, .record = base::printable(name)},
             "the set has no field \"{}\"; {}", base::printable(name),
             names.empty() ? std::string("it has no fields") : fmt::format("there are {}", names));
}

Report OpenSet::read_field(const std::string& name, const Grid& grid, const MutableField& field,
                           const ReadOptions& options) const {
  comm::Comm& comm = grid.communicator().engine();
  comm::require_same(comm, name, "the name of the field");
  ReadOptions how;
  const FieldEntry& entry = comm::agree(comm, [&] {
    how = options;
    how.field = name;
    how.index = 0;
    return std::cref(entry_of_field(name));
  });
  return io::read_listed(fields_file_->files(), fields_file_->catalog(), entry, grid, field, how);
}

const TaskEntry& OpenSet::entry(std::int64_t task) const {
  const auto dealt = static_cast<std::int64_t>(share_.dealt.size());
  if (task < share_.first || task - share_.first >= dealt) {
    throw Error(
        Code::invalid_argument,
        task < 0 || task >= info_.tasks
            ? fmt::format("{}: task {} does not exist; the set has tasks 0 to {}", info_.path, task, info_.tasks - 1)
            : fmt::format("{}: task {} is not assigned to this rank ({} from {} on); open the set on "
                          "this process alone to read any task",
                          info_.path, task, dealt, share_.first),
        {.path = info_.path});
  }
  return share_.dealt[static_cast<std::size_t>(task - share_.first)];
}

std::unique_ptr<StreamReader> OpenSet::reader(const TaskEntry& entry) const {
  return std::make_unique<StreamReader>(files_, entry, settings_);
}

std::unique_ptr<Window> OpenSet::task(std::int64_t number) const {
  auto window = std::make_unique<Window>();
  const TaskEntry& found = entry(number);
  window->add(reader(found), 0, found.size);
  return window;
}

std::unique_ptr<Window> OpenSet::window() const {
  auto window = std::make_unique<Window>();
  std::uint64_t begin = share_.before_windowed;
  const std::uint64_t end = share_.window_begin + share_.window_bytes;
  for (const TaskEntry& one : share_.windowed) {
    const std::uint64_t from = std::max(begin, share_.window_begin), to = std::min(begin + one.size, end);
    if (from < to) window->add(reader(one), from - begin, to - from);
    begin += one.size;
  }
  return window;
}

}  // namespace sets

MultifileReader::MultifileReader(const std::string& path, const Communicator& communicator,
                                 const MultifileReadOptions& options)
    : set_(sets::OpenSet::open(storage::resolve(path), path, communicator, options)) {}
MultifileReader::~MultifileReader() = default;
MultifileReader::MultifileReader(MultifileReader&&) noexcept = default;
MultifileReader& MultifileReader::operator=(MultifileReader&&) noexcept = default;

const MultifileInfo& MultifileReader::info() const noexcept { return set_->info(); }
std::int64_t MultifileReader::first_task() const noexcept { return set_->share().first; }
std::int64_t MultifileReader::local_tasks() const noexcept {
  return static_cast<std::int64_t>(set_->share().dealt.size());
}
InStream MultifileReader::task(std::int64_t number) const { return InStream(set_->task(number)); }
std::uint64_t MultifileReader::size(std::int64_t number) const { return set_->entry(number).size; }
InStream MultifileReader::window() const { return InStream(set_->window()); }
const std::vector<MultifileField>& MultifileReader::fields() const { return set_->fields(); }
Report MultifileReader::read_field(const std::string& name, const Grid& grid, const MutableField& field,
                                   const ReadOptions& options) const {
  return set_->read_field(name, grid, field, options);
}
std::uint64_t MultifileReader::window_begin() const noexcept { return set_->share().window_begin; }

}  // namespace lq
