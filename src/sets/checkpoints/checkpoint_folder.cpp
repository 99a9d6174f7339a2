// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/checkpoint_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "comm/agree.hpp"
#include "comm/pack.hpp"
#include "options/agreed.hpp"

namespace lq::sets {
namespace {

constexpr std::size_t most_told = 32;  // damaged checkpoints, in one message

// True if an error is about the checkpoint being read, and not about the reading job.
bool is_of_checkpoint(const Error& error) noexcept {
  switch (error.code()) {
    case Code::io:
      return error.facts().system_errno != ECANCELED;
    case Code::not_found:
    case Code::no_permission:
    case Code::unknown_format:
    case Code::malformed:
    case Code::truncated:
    case Code::checksum_mismatch:
    case Code::no_such_record:
    case Code::wrong_state:
    case Code::unsupported:
    case Code::too_large:
      return true;
    default:
      return false;
  }
}

// An exception of `work` about a checkpoint; any other exception is passed on.
std::exception_ptr damage_of(base::FunctionRef<void()> work) {
  try {
    work();
  } catch (const Error& error) {
    if (!is_of_checkpoint(error)) throw;
    return std::current_exception();
  }
  return nullptr;
}

void look_at(const std::exception_ptr& failure, base::FunctionRef<void(const Error&)> look) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    look(error);
  }
}

std::string sentence_of(const std::string& name, const Error& error) {
  return fmt::format("{}: {}", name, error.what());
}

void require_options(const CheckpointsOptions& options) {
  const auto refuse = [](const std::string& sentence) { throw Error(Code::invalid_argument, sentence); };
  if (options.keep < 1) refuse(fmt::format("keep is {}; expected at least 1", options.keep));
  if (options.proven < 1) refuse(fmt::format("proven is {}; expected at least 1 (the newest)", options.proven));
  if (options.files < 0) refuse(fmt::format("files is {}; 0 or more is expected", options.files));
  if (options.node_group < 2 || options.node_group > most_nodes_of_group) {
    refuse(fmt::format("node_group is {}, expected 2 to {}", options.node_group, most_nodes_of_group));
  }
  if (options.lost_nodes < 0 || options.lost_nodes > most_lost_nodes) {
    refuse(fmt::format("lost_nodes is {}, expected 0 to {}", options.lost_nodes, most_lost_nodes));
  }
  if (!is_available(options.compression)) {
    throw Error(Code::unsupported, fmt::format("this library was built without {}", name(options.compression)));
  }
}

}  // namespace

CheckpointFolder::CheckpointFolder(const std::string& folder, const Communicator& communicator,
                                   const CheckpointsOptions& options)
    : directory_(folder), communicator_(communicator), options_(options) {
  require_options(options_);
}

std::vector<comm::StatedArgument> CheckpointFolder::stated() const {
  return {{"the folder", directory_.path()},
          {"the options of the checkpoints",
           fmt::format("{} {} {} {} {} {} {} {} {}", options_.keep, options_.keep_every, options_.proven,
                       options_.read_only, options_.files, name(options_.compression), options_.local.empty(),
                       options_.node_group, options_.lost_nodes)}};
}

void CheckpointFolder::open() {
  comm::agree_at_root(communicator_.engine(), [&] { begin_at_root(); });
  if (has_nodes()) open_nodes();
}

void CheckpointFolder::begin_at_root() {
  if (options_.read_only) {
    static_cast<void>(directory_.list());  // throws the reason if it cannot be read
    refusal_ = base::file_error(Code::wrong_state, path(), "the checkpoints were opened for reading only");
    return;
  }
  directory_.make();
  try {
    directory_.lock();
  } catch (const Error& error) {
    if (error.code() == Code::wrong_state || error.code() == Code::out_of_memory) throw;
    refusal_ = error;
    static_cast<void>(directory_.list());
    return;
  }
  std::vector<std::string> gone;
  clean(gone);
}

void CheckpointFolder::require_writable() {
  if (refusal_) throw *refusal_;
  directory_.require_lock();
}

// Unfinished checkpoints have no writer, because only the holder of the lock writes. Without file locks, nothing
// proves that.
void CheckpointFolder::clean(std::vector<std::string>& gone) {
  if (!directory_.excludes_others()) return;
  const base::Uninterruptible outlasting;
  for (const std::string& name : directory_.list().unfinished) {
    if (saving_ && name == saving_->unfinished()) continue;
    try {
      if (directory_.remove_unfinished(name)) gone.push_back(name);
    } catch (const Error&) {
      // It takes space, and does no other harm.
    }
  }
}

void CheckpointFolder::open_nodes() {
  comm::Comm& comm = communicator_.engine();
  const std::uint64_t id = comm::decide_at_root(comm, [&] { return refusal_ ? std::uint64_t{0} : directory_.id(); });
  if (id == 0) return;
  comm::agree(comm, [&] { nodes_ = std::make_unique<NodeLevel>(communicator_, options_, id); });
  nodes_->form_groups();
}

void CheckpointFolder::number(SaveRequest& request) {
  comm::Comm& comm = communicator_.engine();
  comm::require_same(comm, [&] { return sets::stated(request, options_, comm.size()); });
  // A part on a node has the number of the whole.
  const std::uint64_t given = request.manifest.pieces > 0 ? request.manifest.save : 0;
  request.manifest.save = comm::decide_at_root(comm, [&] {
    require_writable();
    if (given > 0) return last_save_ = given;
    std::uint64_t saves = last_save_;
    for (const Listed& one : directory_.list().checkpoints) saves = std::max(saves, one.manifest.save);
    return last_save_ = saves + 1;
  });
}

void CheckpointFolder::start(SaveRequest request) {
  try {
    comm::agree(communicator_.engine(),
                [&] { saving_ = std::make_unique<Saving>(directory_, communicator_, options_, std::move(request)); });
    saving_->begin();
  } catch (...) {
    saving_.reset();
    throw;
  }
}

void CheckpointFolder::begin_save(SaveRequest request) {
  complete_save();
  number(request);
  start(std::move(request));
}

CheckpointReport CheckpointFolder::save_on_nodes(SaveRequest request) {
  complete_save();
  number(request);
  if (!nodes_) comm::agree_at_root(communicator_.engine(), [&] { require_writable(); });
  CheckpointReport report;
  OwnContents own = nodes_->save(request, report);
  SaveRequest shared;
  comm::agree(communicator_.engine(), [&] {
    copied_ = std::make_unique<OwnContents>(std::move(own));
    shared = {request.step, copied_->contents, request.manifest};
  });
  start(std::move(shared));
  return report;
}

// The newest checkpoint on the nodes is copied to the shared folder if it is newer than those there.
bool CheckpointFolder::recover(std::uint64_t step, std::uint64_t save, std::vector<std::string>& bad) {
  if (!nodes_) return false;
  for (const NodeSet& set : nodes_->find()) {
    if (std::pair(set.step, set.save) <= std::pair(step, save)) return false;
    comm::Comm& comm = communicator_.engine();
    if (!comm::agree(comm, [&] { return looked_at_.insert(set.set).second; })) continue;
    std::optional<OwnContents> own;
    const std::exception_ptr failure = damage_of([&] { own.emplace(nodes_->recover(set)); });
    SaveRequest request;
    comm::agree(comm, [&] {
      if (failure) {
        return look_at(failure, [&](const Error& error) {
          // A save that was interrupted before all ranks had their parts was never a checkpoint.
          if (error.code() == Code::not_found && !set.was_complete) return;
          bad.push_back(sentence_of(fmt::format("step {} on the nodes", set.step), error));
        });
      }
      copied_ = std::make_unique<OwnContents>(*std::move(own));
      request = {set.step, copied_->contents, {}};
    });
    if (failure) continue;
    request.manifest.save = set.save;
    last_save_ = std::max(last_save_, set.save);
    start(std::move(request));
    complete_save();
    return true;
  }
  return false;
}

bool CheckpointFolder::test() { return !saving_ || saving_->test(); }

std::optional<CheckpointReport> CheckpointFolder::complete_save() {
  if (!saving_) return std::nullopt;
  comm::Comm& comm = communicator_.engine();
  const std::unique_ptr<OwnContents> copied = std::move(copied_);
  const std::unique_ptr<Saving> saving = std::move(saving_);
  saving->complete();
  CheckpointReport report;
  comm::agree_at_root(comm, [&] {
    const base::Uninterruptible outlasting;
    require_writable();
    newest_ = directory_.publish(saving->unfinished());
    report.path = newest_;
    proven_ = {newest_};
  });
  saving->release();
  report.step = saving->manifest().step;
  report.bytes = saving->manifest().bytes();
  comm::share_from_root(
      comm, [] {}, report.path);
  comm::agree(comm, [&] { report.path = directory_.of(report.path); });
  keep_newest(report.removed, report.warnings);
  report.seconds = communicator_.max(saving->seconds());
  return report;
}

namespace {

// Another version can read it, or it could not be read just now.
bool may_be_whole(Code code) noexcept {
  return code == Code::unsupported || code == Code::io || code == Code::no_permission || code == Code::out_of_memory;
}

}  // namespace

// Local. Based on all checkpoints without known faults.
CheckpointFolder::Plan CheckpointFolder::plan(const Listing& listing) const {
  Plan plan;
  std::vector<const Listed*> good;
  for (const Listed& one : listing.checkpoints) {
    if (!one.problem && !one.marks.is_suspect()) good.push_back(&one);
  }
  // The checkpoint saved last stays, whatever its step.
  const auto newest = std::ranges::find_if(good, [&](const Listed* one) { return one->name == newest_; });
  if (newest != good.end()) std::rotate(good.begin(), newest, newest + 1);
  std::set<std::uint64_t> steps;
  std::uint64_t oldest = ~std::uint64_t{0};
  for (const Listed* one : good) {
    const bool is_first = steps.insert(one->manifest.step).second;
    const bool is_of_period = options_.keep_every > 0 && one->manifest.step % options_.keep_every == 0;
    if (is_first && plan.kept.size() < static_cast<std::size_t>(options_.keep)) {
      plan.kept.push_back(one->name);
      oldest = std::min(oldest, one->manifest.step);
    } else if (!(is_first && is_of_period) && one->is_ours) {
      plan.removed.push_back(one->name);
    }
  }
  if (plan.kept.size() < static_cast<std::size_t>(options_.keep)) return plan;
  // A damaged one is removed when it would be removed if intact, or after the last try.
  for (const Listed& one : listing.checkpoints) {
    if (!one.is_ours || (!one.problem && !one.marks.is_suspect())) continue;
    if (one.problem && may_be_whole(one.problem->code())) continue;
    const bool is_of_period =
        options_.keep_every > 0 && one.step() % options_.keep_every == 0 && !steps.contains(one.step());
    if (one.marks.is_left_alone() || (one.step() < oldest && !is_of_period)) plan.removed.push_back(one.name);
  }
  return plan;
}

// Collective, like `work`. A checkpoint that fails is marked; the error is added to `told`.
bool CheckpointFolder::is_proven(const std::string& name, base::FunctionRef<void()> work,
                                 std::vector<std::string>& told) {
  const std::exception_ptr failure = damage_of(work);
  if (!failure) return true;
  comm::agree(communicator_.engine(), [&] {
    look_at(failure, [&](const Error& error) {
      told.push_back(sentence_of(name, error));
      if (communicator_.rank() == 0) mark(name, error);
    });
  });
  return false;
}

// Local, at the root. Missing permission, or another version's format, says nothing about its bytes.
void CheckpointFolder::mark(const std::string& name, const Error& error) {
  if (refusal_ || error.code() == Code::no_permission || error.code() == Code::unsupported) return;
  try {
    directory_.mark(name, "try", error.what());
  } catch (const Error&) {
    // Then a later job tries it again.
  }
}

// Before one is removed, those that stay are proven, as many as the options say. A damaged one does
// not count, so an older one stays instead.
void CheckpointFolder::keep_newest(std::vector<std::string>& removed, std::vector<std::string>& warnings) {
  comm::Comm& comm = communicator_.engine();
  const auto wanted = static_cast<std::size_t>(std::min(options_.proven, options_.keep));
  Plan settled;
  for (;;) {
    std::vector<std::string> next;
    const auto choose = [&] {
      settled = plan(directory_.list());
      if (settled.removed.empty()) return;
      std::size_t number = 0;
      for (const std::string& name : settled.kept) {
        if (++number > wanted) break;
        if (proven_.contains(name)) continue;
        next = {name, directory_.manifest_text(name)};
        return;
      }
    };
    comm::share_from_root(comm, choose, next);
    if (next.empty()) break;
    const auto look = [&] {
      std::string at;
      const Manifest manifest = comm::agree(comm, [&] {
        at = directory_.of(next[0]);
        return decode_manifest(at, next[1]);
      });
      prove(comm, directory_.transport(), at, manifest);
    };
    if (!is_proven(next[0], look, warnings)) {
      // If it cannot be marked, the plan would never change.
      if (comm::decide_at_root(comm, [&] {
            const auto all = directory_.list().checkpoints;
            const auto found = std::ranges::find(all, next[0], &Listed::name);
            return found != all.end() && !found->problem && !found->marks.is_suspect();
          })) {
        return;
      }
    } else {
      comm::agree(comm, [&] { proven_.insert(next[0]); });
    }
  }
  std::vector<std::string> gone, told;
  const auto remove = [&] {
    const base::Uninterruptible outlasting;
    for (const std::string& name : settled.removed) {
      try {
        if (!directory_.remove(name)) {
          told.push_back(fmt::format("{}: files that do not belong to the checkpoint stay in its folder", name));
        }
        gone.push_back(name);
      } catch (const Error& error) {
        told.push_back(sentence_of(name, error));
      }
    }
  };
  comm::share_from_root(comm, remove, gone, told);
  comm::agree(comm, [&] {
    std::ranges::move(gone, std::back_inserter(removed));
    std::ranges::move(told, std::back_inserter(warnings));
  });
}

std::unique_ptr<LoadedCheckpoint> CheckpointFolder::load(const std::string& name, const Manifest& manifest,
                                                         std::vector<std::string>& bad) {
  std::unique_ptr<LoadedCheckpoint> loaded;
  const auto read = [&] {
    comm::Comm& comm = communicator_.engine();
    comm::agree(comm, [&] { loaded = std::make_unique<LoadedCheckpoint>(directory_, name, manifest); });
    prove(comm, directory_.transport(), loaded->path, manifest);
    loaded->read(directory_, communicator_);
  };
  if (!is_proven(name, read, bad)) loaded.reset();
  return loaded;
}

// Local, at the root. The next one that this call has not examined; adds messages about those that are excluded.
std::optional<Listed> CheckpointFolder::next_of(std::set<std::string>& seen, std::vector<std::string>& told) {
  std::optional<Listed> next;
  // Listed again each time: one that is replaced while this job only reads has a successor.
  for (Listed& one : directory_.list().checkpoints) {
    const bool is_left_alone = one.marks.is_left_alone();
    if (!is_left_alone && !one.problem && next) continue;
    if (!seen.insert(one.name).second) continue;
    if (is_left_alone) {
      told.push_back(fmt::format("{}: {}", one.name, fmt::join(one.marks.sentences, "; ")));
    } else if (one.problem) {
      told.push_back(sentence_of(one.name, *one.problem));
      mark(one.name, *one.problem);
    } else {
      next = std::move(one);
    }
  }
  return next;
}

std::unique_ptr<LoadedCheckpoint> CheckpointFolder::load_newest() {
  comm::Comm& comm = communicator_.engine();
  std::vector<std::string> bad;
  std::set<std::string> seen;
  looked_at_.clear();
  for (;;) {
    std::vector<std::string> next, told;
    const auto look = [&] {
      if (const std::optional<Listed> one = next_of(seen, told)) next = {one->name, encode(one->manifest)};
    };
    comm::share_from_root(comm, look, next, told);
    comm::agree(comm, [&] { std::ranges::move(told, std::back_inserter(bad)); });
    if (has_nodes()) {
      Manifest shared;
      if (!next.empty()) shared = comm::agree(comm, [&] { return decode_manifest(directory_.of(next[0]), next[1]); });
      if (recover(shared.step, shared.save, bad)) {
        // It is now the newest in the shared folder; this one may be needed after it.
        if (!next.empty()) seen.erase(next[0]);
        continue;
      }
    }
    if (next.empty()) break;
    const Manifest manifest = comm::agree(comm, [&] { return decode_manifest(directory_.of(next[0]), next[1]); });
    if (std::unique_ptr<LoadedCheckpoint> loaded = load(next[0], manifest, bad)) {
      comm::agree_at_root(comm, [&] {
        // A job that was killed may have published it without syncing its name.
        directory_.sync_name(loaded->path);
        proven_.insert(next[0]);
        if (refusal_) return;
        try {
          directory_.forget_marks(next[0]);
        } catch (const Error&) {
          // It would be marked as damaged, which it is not; the next try finds that, too.
        }
      });
      loaded->warnings = std::move(bad);
      return loaded;
    }
  }
  comm::agree(comm, [&] {
    if (bad.empty()) return;
    const std::size_t count = bad.size();
    if (count > most_told) {
      bad.resize(most_told);
      bad.push_back(fmt::format("and {} more", count - most_told));
    }
    base::fail(Code::malformed, path(),
               "no valid checkpoint: {}. \"lq checkpoints {}\" lists them; to start over, use an empty folder",
               fmt::join(bad, "; "), path());
  });
  return nullptr;
}

void CheckpointFolder::reject(const LoadedCheckpoint& checkpoint, const std::string& reason) {
  const std::string why =
      comm::agree(communicator_.engine(), [&] { return reason.empty() ? std::string("by the program") : reason; });
  comm::agree_at_root(communicator_.engine(), [&] {
    require_writable();
    directory_.mark(checkpoint.name, "rejected", why);
    proven_.erase(checkpoint.name);
  });
  // Otherwise it would be restored from there.
  if (nodes_) {
    comm::agree(communicator_.engine(),
                [&] { nodes_->reject(checkpoint.manifest.step, checkpoint.manifest.save, why); });
  }
}

void CheckpointFolder::forget_marks() {
  comm::agree_at_root(communicator_.engine(), [&] {
    require_writable();
    for (const Listed& one : directory_.list().checkpoints) directory_.forget_marks(one.name);
  });
}

std::vector<std::string> CheckpointFolder::prune() {
  comm::Comm& comm = communicator_.engine();
  std::vector<std::string> removed, warnings;
  const auto clean_up = [&] {
    require_writable();
    proven_.clear();
    clean(removed);
  };
  comm::share_from_root(comm, clean_up, removed);
  keep_newest(removed, warnings);
  return removed;
}

}  // namespace lq::sets

namespace lq {

Checkpoints::Checkpoints(const std::string& folder, const Communicator& communicator,
                         const CheckpointsOptions& options) {
  comm::require_same(communicator.engine(), [&] {
    folder_ = std::make_unique<sets::CheckpointFolder>(folder, communicator, options);
    return folder_->stated();
  });
  folder_->open();
}
Checkpoints::~Checkpoints() = default;
Checkpoints::Checkpoints(Checkpoints&&) noexcept = default;
Checkpoints& Checkpoints::operator=(Checkpoints&&) noexcept = default;

CheckpointReport Checkpoints::save(std::uint64_t step, const CheckpointContents& contents) {
  sets::SaveRequest request;
  comm::agree(folder_->communicator().engine(), [&] { request = {step, contents, {}}; });
  if (folder_->has_nodes()) return folder_->save_on_nodes(std::move(request));
  folder_->begin_save(std::move(request));
  return *folder_->complete_save();
}
void Checkpoints::save_async(std::uint64_t step, const CheckpointContents& contents) {
  sets::SaveRequest request;
  comm::agree(folder_->communicator().engine(), [&] { request = {step, contents, {}}; });
  if (folder_->has_nodes()) {
    folder_->save_on_nodes(std::move(request));
  } else {
    folder_->begin_save(std::move(request));
  }
}
bool Checkpoints::test() { return folder_->test(); }
std::optional<CheckpointReport> Checkpoints::wait() { return folder_->complete_save(); }

std::optional<Checkpoint> Checkpoints::load_newest() {
  folder_->complete_save();
  std::unique_ptr<sets::LoadedCheckpoint> loaded = folder_->load_newest();
  if (!loaded) return std::nullopt;
  return Checkpoint(std::move(loaded));
}
void Checkpoints::reject(const Checkpoint& checkpoint, const std::string& reason) {
  folder_->reject(*checkpoint.loaded_, reason);
}
void Checkpoints::forget_marks() { folder_->forget_marks(); }
std::vector<std::string> Checkpoints::prune() { return folder_->prune(); }
const std::string& Checkpoints::folder() const noexcept { return folder_->path(); }
const Communicator& Checkpoints::communicator() const noexcept { return folder_->communicator(); }

}  // namespace lq
