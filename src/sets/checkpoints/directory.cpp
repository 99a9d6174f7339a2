// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/path.hpp"
#include "base/random_number.hpp"
#include "base/text.hpp"
#include "io/new_file.hpp"

namespace lq::sets {
namespace {

constexpr std::string_view lock_name = ".lq-checkpoints.lock", id_name = ".lq-checkpoints.id";
constexpr std::string_view own_beginning = ".lq-checkpoints";
constexpr std::string_view tries_name = "tries.lq";
constexpr std::string_view being_written_ending = ".lq-new", being_removed_ending = ".lq-old";
constexpr std::string_view try_word = "try ", rejected_word = "rejected ";
constexpr std::size_t step_digits = 12, number_digits = 8;
constexpr std::uint64_t most_small_bytes = 64 * base::mebi;

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }
bool is_hex(char letter) noexcept { return is_digit(letter) || (letter >= 'a' && letter <= 'f'); }

// "step-000000000012-0123abcd": its step; empty for other names.
std::optional<std::uint64_t> step_of_name(std::string_view name) {
  constexpr std::string_view beginning = "step-";
  if (!name.starts_with(beginning)) return std::nullopt;
  name.remove_prefix(beginning.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || dash < step_digits) return std::nullopt;
  const std::string_view number = name.substr(dash + 1);
  if (number.size() != number_digits || !std::ranges::all_of(number, is_hex)) return std::nullopt;
  return base::parse_u64(name.substr(0, dash));
}

bool is_unfinished(std::string_view name) {
  for (const std::string_view ending : {being_written_ending, being_removed_ending}) {
    if (!name.starts_with('.') || !name.ends_with(ending)) continue;
    name.remove_prefix(1);
    name.remove_suffix(ending.size());
    return step_of_name(name).has_value();
  }
  return false;
}

// A file of a checkpoint, or its temporary form.
bool is_file_of_checkpoint(std::string_view name) {
  while (name.starts_with('.')) name.remove_prefix(1);
  return std::ranges::any_of(std::array{manifest_name, state_file_name, tries_name, streams_name, parity_file_name,
                                        complete_name, std::string_view("field-")},
                             [&](std::string_view own) { return name.starts_with(own); });
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string this_job() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {};
  std::string job;
  for (const char* variable : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0' && job.empty()) job = fmt::format(", job {}", base::printable(value));
  }
  return fmt::format("process {} on {}{}, since {}", ::getpid(), base::printable(host.data()), job,
                     base::utc_text(base::seconds_now()));
}

// Replaces control characters, so that a name cannot break the line.
std::string one_line(const std::string& text) {
  std::string line = base::printable(text, 1000);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

}  // namespace

std::uint64_t Listed::step() const noexcept {
  if (!problem) return manifest.step;
  return step_of_name(name).value_or(0);
}

CheckpointDirectory::CheckpointDirectory(std::string path)
    : path_(without_slashes(std::move(path))), transport_(storage::resolve(path_)) {
  if (path_.empty()) throw Error(Code::invalid_argument, "the name of the folder of checkpoints is empty");
}

void CheckpointDirectory::make() const {
  const storage::PathKind kind = transport_.kind(path_);
  // Also one that was made by a job that was killed before it synced its name.
  if (kind == storage::PathKind::directory) return sync_name(path_);
  if (kind != storage::PathKind::absent) {
    base::fail(Code::exists, path_, "this name exists and is not a folder; checkpoints need a folder");
  }
  const std::string above = base::directory_of(path_);
  if (transport_.kind(above) != storage::PathKind::directory) {
    base::fail(Code::not_found, path_,
               "cannot create the folder of checkpoints: folder {} does not exist; create it, or check that the "
               "file system is mounted",
               above);
  }
  transport_.make_directory(path_);
  sync_name(path_);
}

void CheckpointDirectory::lock() {
  const std::string name = of(lock_name);
  if (transport_.kind(name) != storage::PathKind::file) {
    try {
      transport_.create(name)->close();
    } catch (const Error& error) {
      if (error.code() != Code::exists) throw;  // another job has just made it
    }
  }
  lock_ = std::make_unique<storage::WriterLock>(name, refusal());
  if (!lock_->is_held()) {
    lock_.reset();
    throw base::errno_error(name, "lock the folder", EACCES);
  }
  write_holder();
}

Error CheckpointDirectory::refusal() const {
  std::string who;
  try {
    who = one_line(read_small(of(lock_name)));
  } catch (const Error&) {
    // Then it stays unknown.
  }
  return base::file_error(
      Code::wrong_state, path_,
      "another job uses this folder of checkpoints: {}; wait until it has ended, end it, or use another folder",
      who.empty() ? "it left no information" : who);
}

void CheckpointDirectory::write_holder() const {
  const std::string text = this_job();
  try {
    const auto file = transport_.open_write(of(lock_name));
    file->resize(0);
    file->write_at(0, base::as_bytes(text));
    file->close();
  } catch (const Error&) {
    // On a full disk others see that there is a job, but not which.
  }
}

void CheckpointDirectory::require_lock() {
  if (lock_ && lock_->is_of(of(lock_name))) return;
  lock_.reset();
  lock();
}

std::string CheckpointDirectory::holder() const {
  const std::string name = of(lock_name);
  if (!storage::has_writer(name)) return {};
  try {
    return one_line(read_small(name));
  } catch (const Error&) {
    return "another job";
  }
}

std::uint64_t CheckpointDirectory::id() const {
  constexpr std::size_t digits = 16;
  const std::string name = of(id_name);
  if (transport_.kind(name) == storage::PathKind::file) {
    // Read until two reads agree: with another id, checkpoints on the nodes are not found.
    std::string text = read_small(name);
    for (int tries = 0; tries < 3; ++tries) {
      const std::string before = std::exchange(text, read_small(name));
      if (text == before) break;
    }
    const auto high = base::parse_hex32(text.substr(0, number_digits));
    const auto low = base::parse_hex32(text.size() >= digits ? text.substr(number_digits, number_digits) : "");
    if (high && low && (*high != 0 || *low != 0)) return std::uint64_t{*high} << 32 | *low;
  }
  const std::uint64_t made = std::uint64_t{base::random_number()} << 32 | base::random_number() | 1U;
  write_small(name, base::as_bytes(fmt::format("{:016x}\n", made)));
  return made;
}

std::string CheckpointDirectory::read_small(const std::string& path) const {
  const auto file = transport_.open_read(path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(file->size(), most_small_bytes)));
  bytes.resize(file->read_at(0, bytes));
  return std::string(base::as_text(bytes));
}

void CheckpointDirectory::write_small(const std::string& path, base::Bytes contents) const {
  io::NewFile file(transport_, {}, path);
  file.create(true, contents.size());
  file.named([&] { file.file().write_at(0, contents); });
  file.finish(Sync::full);
  file.publish(Sync::full);
}

FailedTries CheckpointDirectory::marks_of(const std::string& name) const {
  FailedTries marks;
  const std::string path = of(name) + "/" + std::string(tries_name);
  if (transport_.kind(path) != storage::PathKind::file) return marks;
  const std::string text = read_small(path);
  std::string_view left = text;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.starts_with(try_word)) ++marks.tries;
    if (line.starts_with(rejected_word)) marks.is_rejected = true;
    if (line.starts_with(try_word) || line.starts_with(rejected_word)) marks.sentences.emplace_back(line);
  }
  return marks;
}

void CheckpointDirectory::mark(const std::string& name, std::string_view what, const std::string& reason) const {
  std::string text;
  for (const std::string& sentence : marks_of(name).sentences) text += sentence + "\n";
  text += fmt::format("{} {} {}\n", what, base::utc_text(base::seconds_now()), one_line(reason));
  write_small(of(name) + "/" + std::string(tries_name), base::as_bytes(text));
}

void CheckpointDirectory::forget_marks(const std::string& name) const {
  const std::string path = of(name) + "/" + std::string(tries_name);
  if (transport_.kind(path) == storage::PathKind::file) transport_.remove(path);
}

std::string CheckpointDirectory::manifest_text(std::string_view name) const {
  return read_small(of(name) + "/" + std::string(manifest_name));
}

void CheckpointDirectory::list_one(const std::string& name, Listing& listing) const {
  const std::string path = of(name), manifest = path + "/" + std::string(manifest_name);
  Listed one;
  one.name = name;
  one.is_ours = step_of_name(name).has_value();
  try {
    if (transport_.kind(path) != storage::PathKind::directory) return listing.foreign.push_back(name);
    if (transport_.kind(manifest) != storage::PathKind::file) {
      if (!one.is_ours) return listing.foreign.push_back(name);
      base::fail(Code::not_found, path, "it has no manifest ({})", manifest_name);
    }
    one.manifest = decode_manifest(manifest, manifest_text(name));
  } catch (const Error& error) {
    one.problem = error;
  }
  try {
    one.marks = marks_of(name);
  } catch (const Error&) {
    // Unreadable FailedTries are ignored.
  }
  listing.checkpoints.push_back(std::move(one));
}

Listing CheckpointDirectory::list() const {
  std::vector<std::string> names;
  if (const int reason = base::names_in(path_, names); reason != 0) {
    throw base::errno_error(path_, "list the checkpoints", reason);
  }
  Listing listing;
  for (const std::string& name : names) {
    if (name.starts_with(own_beginning) || name.starts_with("." + std::string(own_beginning))) continue;
    if (is_unfinished(name)) {
      listing.unfinished.push_back(name);
    } else {
      list_one(name, listing);
    }
  }
  const auto age = [](const Listed& one) {
    return std::tuple(!one.problem, one.step(), one.manifest.save, one.manifest.date, std::string_view(one.name));
  };
  std::ranges::sort(listing.checkpoints, [&](const Listed& a, const Listed& b) { return age(a) > age(b); });
  return listing;
}

std::string CheckpointDirectory::begin(std::uint64_t step) const {
  const std::string name = fmt::format("step-{:012}-{:08x}", step, base::random_number());
  std::string unfinished = fmt::format(".{}{}", name, being_written_ending);
  transport_.make_directory(of(unfinished));
  return unfinished;
}

std::string CheckpointDirectory::publish(const std::string& unfinished) const {
  const std::string name = unfinished.substr(1, unfinished.size() - 1 - being_written_ending.size());
  transport_.sync_directory(of(unfinished) + "/.");
  transport_.rename(of(unfinished), of(name));
  transport_.sync_directory(of(name));
  return name;
}

bool CheckpointDirectory::remove(const std::string& name) const {
  const std::string hidden = fmt::format(".{}{}", name, being_removed_ending);
  // A newer one that was published by a job that was killed must not be lost after it.
  sync_name(of(name));
  transport_.rename(of(name), of(hidden));
  transport_.sync_directory(of(hidden));
  return remove_unfinished(hidden);
}

bool CheckpointDirectory::remove_unfinished(const std::string& name) const {
  std::vector<std::string> files;
  const std::string path = of(name);
  if (const int reason = base::names_in(path, files); reason != 0) {
    if (reason == ENOENT) return true;
    throw base::errno_error(path, "remove the checkpoint", reason);
  }
  for (const std::string& file : files) {
    if (is_file_of_checkpoint(file)) transport_.remove(path + "/" + file);
  }
  if (::rmdir(path.c_str()) == 0 || errno == ENOENT) return true;
  if (errno == ENOTEMPTY || errno == EEXIST) return false;
  throw base::errno_error(path, "remove the folder", errno);
}

UnfinishedCheckpoint::UnfinishedCheckpoint(const CheckpointDirectory& directory, std::uint64_t step)
    : directory_(directory), name_(directory.begin(step)) {}

UnfinishedCheckpoint::~UnfinishedCheckpoint() {
  try {
    if (!name_.empty()) directory_.remove_unfinished(name_);
  } catch (...) {
    // It occupies space until the next save, which removes it.
  }
}

std::unique_ptr<storage::File> UnfinishedCheckpoint::create(std::string_view file) const {
  return directory_.transport().create(path_of(file));
}

std::string UnfinishedCheckpoint::publish() {
  std::string name = directory_.publish(name_);
  name_.clear();
  return name;
}

}  // namespace lq::sets
