// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/new_file.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/wire.hpp"
#include "io/journal.hpp"
#include "io/replaceable.hpp"
#include "io/replacement.hpp"
#include "storage/subfiles.hpp"

namespace lq::io {
namespace {

[[noreturn]] void throw_exists(const std::string& path) {
  base::fail(Code::exists, {.path = path},
             "there is a file of this name already; choose another name, or replace it with options.overwrite = true");
}

// The user does not know the temporary file.
[[noreturn]] void throw_about(const std::string& path, const std::string& temporary, const Error& error) {
  std::string sentence = error.what();
  if (sentence.starts_with(temporary)) sentence.replace(0, temporary.size(), path);
  ErrorFacts facts = error.facts();
  facts.path = path;
  throw Error(error.code(), sentence, facts);
}

}  // namespace

void require_space(storage::Transport& transport, const std::string& path, std::uint64_t bytes) {
  const std::optional<std::uint64_t> space = transport.free_space(path);
  if (!space || *space >= bytes) return;
  base::fail(
      Code::no_space,
      {.path = path, .expected = fmt::format("{} bytes", bytes), .found = fmt::format("{} bytes", *space)},
      "{} bytes are needed, and the free space, or the limit on the size of files (ulimit -f), allows {}; nothing "
      "was written. Free some space, raise the limit, or write to another file system",
      bytes, *space);
}

bool require_target(storage::Transport& transport, const std::string& path, bool overwrite) {
  if (path.empty() || path.back() == '/') {
    throw Error(Code::invalid_argument, fmt::format("cannot write to \"{}\": the path names no file", path),
                {.path = path});
  }
  if (path.find('\0') != std::string::npos) {
    throw Error(Code::invalid_argument,
                fmt::format("cannot write to \"{}\": a path holds no NUL", base::printable(path, 200)), {.path = path});
  }
  switch (transport.kind(path)) {
    case storage::PathKind::absent:
      return false;
    case storage::PathKind::file:
      if (!overwrite) throw_exists(path);
      return true;
    case storage::PathKind::directory:
      // No facts made here: in a switch whose cases do not return, clang 14 destroys those of another case.
      base::fail(Code::invalid_argument, path, "cannot write a file here: this is a directory");
    case storage::PathKind::dangling_link:
      base::fail(
          Code::invalid_argument, path,
          "cannot write a file here: this symbolic link has no target; remove it, or write to the file it refers to");
    case storage::PathKind::other:
      break;
  }
  base::fail(Code::invalid_argument, path,
             "cannot replace this: it is not a regular file (a pipe, socket or device); choose another name");
}

NewFile::NewFile(storage::Transport& transport, const Communicator& communicator, const std::string& path)
    : transport_(transport), communicator_(communicator), path_(path) {}

void NewFile::create(bool overwrite, std::uint64_t bytes, const StripeRequest& request) {
  comm::Comm& comm = communicator_.engine();
  const comm::FromRoot created = comm::bytes_from_root(comm, [&] {
    create_at_root(overwrite, bytes, request);
    std::vector<std::byte> message;
    append_identity(message);
    return message;
  });
  comm::agree(comm, [&] {
    base::Bytes message = created.bytes();
    if (!communicator_.is_root()) take_identity(message);
  });
}

void NewFile::create_at_root(bool overwrite, std::uint64_t bytes, const StripeRequest& request) {
  overwrite_ = overwrite;
  make_temporary(bytes, request);
  reserve(0, bytes);
}

namespace {

// The root's message about a file that it has created.
struct CreatedFile {
  std::optional<storage::Identity> identity;
  storage::StorageTraits unit;
  Stripes stripes;
  bool replaces = false;
};

}  // namespace

void NewFile::append_identity(std::vector<std::byte>& message) const {
  comm::append_text(message, temporary_path_);
  comm::append(message, CreatedFile{identity_, unit_, stripes_, replaces_});
}

void NewFile::take_identity(base::Bytes& message) {
  temporary_path_ = comm::take_text(message);
  const auto created = comm::take<CreatedFile>(message);
  identity_ = created.identity;
  unit_ = created.unit;
  stripes_ = created.stripes;
  replaces_ = created.replaces;
}

// Only the file itself has stripes, and one rank has queried it. A rank that sees another file system (a server its
// disk, the others the network) uses its own view.
storage::StorageTraits NewFile::unit() const {
  if (communicator_.is_root()) return unit_;
  storage::StorageTraits mine = transport_.unit(base::directory_of(path_));
  if (mine.single_owner == unit_.single_owner && mine.one_writer == unit_.one_writer) {
    mine.bytes = unit_.bytes;
    mine.targets = unit_.targets;
  }
  return mine;
}

storage::LocalTraits NewFile::seen() const {
  const storage::StorageTraits mine = unit();
  return {mine, client(mine)};
}

std::uint64_t NewFile::client(const storage::StorageTraits& seen) const {
  if (seen.device != 0 || !communicator_.is_root())
    return storage::client_of(transport_, base::directory_of(path_), seen);
  return (identity_ ? *identity_ : file_->identity()).device;
}

storage::Owners NewFile::owners() const {
  return storage::owners_of(communicator_.engine(), [&] { return seen(); });
}

void NewFile::resize(std::uint64_t bytes) {
  comm::agree_at_root(communicator_.engine(), [&] { named([&] { file_->resize(bytes); }); });
}

void NewFile::tell_size(std::uint64_t bytes) {
  comm::agree(communicator_.engine(), [&] {
    if (!file_) return;
    named([&] { storage::tell_size(*file_, bytes); });
  });
}

void NewFile::go_on(const std::string& temporary_path) {
  comm::agree(communicator_.engine(), [&] {
    temporary_path_ = temporary_path;
    if (communicator_.is_root()) open_here();
  });
  struct FileAtRoot {
    storage::Identity identity;
    storage::StorageTraits unit;
  };
  const FileAtRoot there = comm::decide_at_root(communicator_.engine(), [&] {
    FileAtRoot seen;
    named([&] { seen = {file_->identity_when_opened(), transport_.unit(temporary_path_)}; });
    return seen;
  });
  identity_ = there.identity;
  unit_ = there.unit;
}

NewFile::~NewFile() { discard(); }

void NewFile::open_for_writing(bool writes) {
  comm::agree(communicator_.engine(), [&] {
    if (writes) open_here();
  });
}

void NewFile::open_here() {
  if (!file_) named([&] { open_ours(); });
}

void NewFile::open_ours() {
  auto file = transport_.open_write(temporary_path_);
  if (identity_) require_ours(storage::is_same_across_nodes(*identity_, file->identity_when_opened()));
  file_ = std::move(file);
}

// If others may write to the folder, the name may refer to another file by now.
void NewFile::require_ours(bool is_ours) const {
  if (is_ours) return;
  if (temporary_path_ == path_) throw storage::replaced_error(path_);
  base::fail(Code::io, {.path = temporary_path_},
             "the temporary file was replaced by another file while it was being written. No file was published. Write "
             "to a folder that only you can modify");
}

void NewFile::discard() noexcept {
  file_.reset();
  if (!created_ || process_ != ::getpid()) return;
  created_ = false;
  try {
    transport_.remove(temporary_path_);
  } catch (...) {
    // Nothing more can be done here; the original error is already being thrown.
  }
}

void NewFile::make_temporary(std::uint64_t bytes, const StripeRequest& request) {
  replaces_ = require_target(transport_, path_, overwrite_);
  if (kind_) require_replaceable();
  if (replaces_ && excludes_appenders_) take_over();
  io::require_space(transport_, path_, bytes);
  for (int attempt = 0;; ++attempt) {
    temporary_path_ = base::temporary_name(path_, base::random_number());
    try {
      file_ = transport_.create(temporary_path_, {.is_private = replaces_});
      created_ = true;
      process_ = ::getpid();
      identity_ = file_->identity();
      set_stripes(base::temporary_name(path_, base::random_number()), bytes, request);
      keep_private();
      return;
    } catch (const Error& error) {
      constexpr int attempts = 100;
      if (error.code() != Code::exists || attempt == attempts) throw_about(path_, temporary_path_, error);
    }
  }
}

void NewFile::keep_private() {
  if (!like_.empty() && &storage::resolve(like_) == &transport_) transport_.keep_private(like_, temporary_path_);
}

// Stripes can only be set while the file is empty.
void NewFile::set_stripes(const std::string& spare, std::uint64_t bytes, const StripeRequest& request) {
  const storage::Striping striping = transport_.set_stripes(temporary_path_, spare, bytes, request);
  stripes_ = striping.stripes;
  unit_ = striping.unit;
  if (!stripes_.is_set()) return;
  file_ = transport_.open_write(temporary_path_);
  identity_ = file_->identity_when_opened();
}

void NewFile::named(base::FunctionRef<void()> work) const {
  try {
    work();
  } catch (const Error& error) {
    if (error.facts().path != temporary_path_) throw;
    throw_about(path_, temporary_path_, error);
  }
}

void NewFile::require_space(std::uint64_t offset, std::uint64_t bytes) {
  io::require_space(transport_, path_, bytes);
  reserve(offset, bytes);
}

void NewFile::reserve(std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t worth_a_call = 1024 * 1024;
  if (bytes < worth_a_call) return;
  // The traits of a file that another program created are not known yet.
  if (!(created_ ? unit_ : transport_.unit(path_)).reserve_first) return;
  const base::Stopwatch watch;
  named([&] { file_->reserve(offset, bytes); });
  reserve_seconds_ += watch.seconds();
}

void NewFile::write(base::FunctionRef<std::vector<format::Literal>()> make) {
  comm::agree_at_root(communicator_.engine(), [&] {
    for (const format::Literal& literal : make()) write_here(literal);
  });
}

void NewFile::write_here(const format::Literal& literal) const {
  named([&] { file_->write_at(literal.offset, literal.bytes); });
}

// Every writer syncs: a client of a parallel file system flushes its own pages only.
void NewFile::sync(Sync sync) {
  comm::agree(communicator_.engine(), [&] {
    if (file_ && sync != Sync::none) named([&] { file_->sync(); });
  });
}

void NewFile::finish(Sync sync) {
  comm::agree(communicator_.engine(), [&] { finish_here(sync); });
}

void NewFile::finish_here(Sync sync) {
  if (!file_) return;
  named([&] {
    if (sync != Sync::none) file_->sync();
    file_->close();
  });
  file_.reset();
}

double NewFile::publish(Sync sync) {
  return comm::decide_at_root(communicator_.engine(), [&] {
    const base::Stopwatch watch;
    std::optional<storage::ReplacedSet> set_before;
    named([&] {
      prepare_for_name(sync);
      if (replaces_) set_before.emplace(transport_, path_);
      give_name();
    });
    replaced_.reset();
    created_ = false;
    if (sync == Sync::full) sync_name();
    if (set_before) set_before->remove_rest();
    return watch.seconds();
  });
}

void NewFile::require_replaceable() const {
  if (made_.empty() || !overwrite_) return;
  io::require_replaceable(transport_, path_, made_, kind_ ? *kind_ : data_in(transport_, temporary_path_));
}

// A name that was free usually still is, so it is not checked again.
void NewFile::prepare_for_name(Sync sync) {
  require_ours(storage::is_same_file(*identity_, transport_.identity(temporary_path_)));
  require_replaceable();
  try {
    settle_journal(transport_, path_, sync, replaced_ ? &*replaced_ : nullptr);
  } catch (const Error&) {
    // If another program took the name and appends to that file, taking the name reports it.
    if (overwrite_ || transport_.kind(path_) == storage::PathKind::absent) throw;
  }
  if (replaces_ && transport_.kind(path_) == storage::PathKind::absent) {
    give_usual_permissions(transport_, temporary_path_);
    keep_private();
    replaces_ = false;
  }
}

void NewFile::give_name() {
  try {
    if (!overwrite_ || !replaces_) return transport_.publish(temporary_path_, path_);
  } catch (const Error& error) {
    if (error.code() != Code::exists || !overwrite_ || transport_.kind(path_) != storage::PathKind::file) throw;
  }
  if (excludes_appenders_ && !(replaced_ && replaced_->is_of(path_))) take_over();
  transport_.copy_permissions(path_, temporary_path_);
  transport_.rename(temporary_path_, path_);
}

void NewFile::take_over() {
  replaced_.reset();
  replaced_.emplace(path_,
                    Error(Code::io,
                          path_ + ": another program is appending to this file or about to replace it: it is not "
                                  "replaced; wait until that program has ended, or write another file",
                          {.path = path_}));
}

double NewFile::publish_set(const std::vector<std::unique_ptr<NewFile>>& files, Sync sync) {
  NewFile& first = *files.front();
  if (files.size() == 1) return first.publish(sync);
  return comm::decide_at_root(first.communicator_.engine(), [&] {
    const base::Stopwatch watch;
    std::vector<Renaming> names;
    for (const auto& file : files) {
      file->named([&] { file->prepare_for_name(sync); });
      names.push_back({file->temporary_path_, file->path_});
    }
    replace_together(
        first.transport_, names, first.overwrite_, sync,
        [&] {
          for (const auto& file : files) file->created_ = false;
        },
        files_of_set);
    return watch.seconds();
  });
}

void NewFile::sync_name() {
  try {
    transport_.sync_directory(path_);
  } catch (const Error& error) {
    ErrorFacts facts = error.facts();
    facts.path = path_;
    throw Error(
        error.code(),
        fmt::format("{}: the file is complete and published, but a crash of the machine could lose its name: {}", path_,
                    error.what()),
        facts);
  }
}

bool is_leftover(std::string_view path) { return base::parse_temporary_name(path).has_value(); }

std::vector<std::string> leftovers_of(const std::string& path) {
  const std::size_t begin = path.rfind('/') + 1;  // 0 where there is none
  const std::string before = path.substr(0, begin), name = path.substr(begin);
  std::vector<std::string> names, found;
  base::names_in(base::directory_of(path), names);
  for (const std::string& other : names) {
    const auto temporary = base::parse_temporary_name(other);
    if (temporary && temporary->name == name) found.push_back(before + other);
  }
  return found;
}

std::vector<std::string> unneeded_leftovers(const Catalog& catalog) {
  const auto is_replaced = [](const Finding& finding) { return finding.rule == "replacement"; };
  if (std::ranges::any_of(catalog.findings, is_replaced)) return {};
  std::vector<std::string> found = leftovers_of(catalog.path);
  std::erase_if(found,
                [&](const std::string& name) { return std::ranges::find(catalog.files, name) != catalog.files.end(); });
  return found;
}

}  // namespace lq::io
