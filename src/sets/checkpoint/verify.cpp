// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares every chunk of a set with its record, and every field with its checksum, also as a part of lq::verify().
#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <limequat/error.hpp>
#include <limequat/multifile.hpp>
#include <limequat/protect.hpp>

#include "base/path.hpp"
#include "comm/agree.hpp"
#include "comm/alone.hpp"
#include "comm/node.hpp"
#include "comm/pack.hpp"
#include "comm/team.hpp"
#include "io/catalog_codec.hpp"
#include "io/journal.hpp"
#include "io/judgement.hpp"
#include "io/verdict.hpp"
#include "io/verify.hpp"
#include "protection/passing.hpp"
#include "protection/sidecar.hpp"
#include "sets/checkpoint/protected.hpp"
#include "sets/checkpoint/repair.hpp"
#include "sets/checkpoint/set_fields.hpp"

namespace lq {
namespace sets {
CheckedFields check_fields(storage::Transport& transport, const FoundSet& found, FieldData data) {
  CheckedFields checked;
  if (!found.fields_path.empty()) {
    checked = check_fields(transport, found.fields_path, found.records.front().generation, data);
  }
  const std::size_t intact = checked.fields.intact.size();
  if (found.fields_problem) {
    checked.damage.push_back({.path = fields_name(found.path), .task = -1, .what = found.fields_problem->what()});
  } else if (intact < found.fields && checked.damage.empty()) {
    checked.damage.push_back({.path = found.fields_path,
                              .task = -1,
                              .what = fmt::format("{}: the set has {} fields, of which {} exist: the file is truncated",
                                                  found.fields_path, found.fields, intact)});
  }
  return checked;
}

void verify_fields(storage::Transport& transport, const FoundSet& found, MultifileCheck& check) {
  const CheckedFields fields = check_fields(transport, found, FieldData::compared);
  check.fields_checked = fields.fields.intact.size();
  check.damage.insert(check.damage.end(), fields.damage.begin(), fields.damage.end());
}

// Each thread checks one stream at a time.
std::uint64_t check_streams(const FoundSet& found, const std::shared_ptr<OpenFiles>& files, int threads,
                            ChunkWords words, std::vector<ChunkDamage>& damage) {
  ReadSettings settings;
  if (found.has_records()) settings.record = found.records.front();
  std::uint64_t bytes = 0;
  for (std::int32_t task = 0; task < found.set.tasks(); ++task) {
    if (found.set.file_of(task).has_table()) bytes += found.set.bytes(task);
  }
  comm::Team team(comm::thread_count(threads, bytes));
  std::vector<std::vector<ChunkDamage>> of_tasks(static_cast<std::size_t>(found.set.tasks()));
  std::atomic<std::uint64_t> checked{0};
  comm::parallel_for(team, of_tasks.size(), [&](int, std::uint64_t number) {
    const auto task = static_cast<std::int32_t>(number);
    if (!found.set.file_of(task).has_table()) return;
    TaskEntry entry = entry_of(found, task);
    const StreamPlace place = entry.place;
    const std::vector<std::int64_t> used = entry.used;
    StreamReader reader(files, std::move(entry), settings);
    checked += reader.check([&](std::uint64_t chunk, const Error& error) {
      const auto stated = static_cast<std::uint64_t>(used[chunk]);
      of_tasks[static_cast<std::size_t>(number)].push_back({files->file(place.file).path(), task, chunk,
                                                            place.offset(chunk), stated,
                                                            words(place, chunk, stated, error)});
    });
  });
  for (std::vector<ChunkDamage>& own : of_tasks) std::ranges::move(own, std::back_inserter(damage));
  return checked;
}

MultifileCheck verify(storage::Transport& transport, const std::string& path, int threads) {
  const auto files = std::make_shared<OpenFiles>(transport);
  const FoundSet found = find_set(files->transport(), path);
  MultifileCheck check;
  check.info = found.info();
  files->set_paths(check.info.files);
  check.chunks_checked = check_streams(found, files, threads, words_of_error, check.damage);
  for (std::size_t file = 0; file < found.problems.size(); ++file) {
    if (found.problems[file].empty()) continue;
    check.damage.push_back({found.set.files()[file].path, -1, 0, 0, 0, found.problems[file]});
  }
  for (std::size_t file = 0; file < found.losses.size(); ++file) {
    const auto number = static_cast<std::int32_t>(file);
    const format::sion::PhysicalFile& physical = found.set.files()[file];
    for (const StreamLoss& loss : found.losses[file]) {
      const bool is_of_task = loss.task != StreamLoss::of_fields;
      check.damage.push_back({physical.path, is_of_task ? physical.ranks[loss.task] : -1, loss.chunk, 0, loss.bytes,
                              found.describe(loss, number)});
    }
  }
  verify_fields(files->transport(), found, check);
  return check;
}

}  // namespace sets

MultifileCheck verify_multifile(const std::string& path, int threads) {
  return comm::alone([&] { return sets::verify(storage::resolve(path), path, threads); });
}

namespace {

// A multifile without records has no checksums.
void check_chunks(storage::Transport& transport, Verification& verification, int threads) {
  try {
    const MultifileCheck check = sets::verify(transport, verification.path, threads);
    if (check.info.has_checksums) verification.chunks_checked = check.chunks_checked;
    verification.fields_checked = check.fields_checked;
    for (const ChunkDamage& damage : check.damage) {
      verification.findings.push_back({.severity = Severity::error,
                                       .code = Code::checksum_mismatch,
                                       .rule = damage.task < 0 ? "checkpoint-field" : "chunk-checksum",
                                       .message = damage.what,
                                       .record = damage.task < 0 ? damage.field : fmt::format("task.{}", damage.task),
                                       .offset = damage.offset,
                                       .length = damage.bytes});
    }
  } catch (const Error& error) {
    verification.findings.push_back({.severity = Severity::error,
                                     .code = error.code(),
                                     .rule = "chunk-checksum",
                                     .message = error.what(),
                                     .offset = error.facts().offset});
  }
}

}  // namespace

Verification verify(const std::string& path, const Communicator& communicator, const VerifyOptions& options) {
  return comm::alone([&] { return sets::verify_file(storage::resolve(path), path, communicator, options); });
}

std::vector<Finding> validate(const std::string& path, const Limits& limits) {
  return comm::alone([&] {
    std::vector<Finding> findings = io::broken_rules(path, limits);
    Verification verification = lq::verify(path, {}, {.limits = limits});
    io::add_new_findings(findings, std::move(verification.findings));
    io::require_error(findings, verification,
                      {.severity = Severity::error,
                       .code = Code::checksum_mismatch,
                       .rule = "verdict",
                       .message = fmt::format("{}: the file is {}", path, name(verification.verdict))});
    return findings;
  });
}

namespace {

// The streams of a multifile, which io::verify() does not examine.
void examine_streams(storage::Transport& transport, Verification& verification, const Communicator& communicator,
                     const VerifyOptions& options) {
  comm::Comm& comm = communicator.engine();
  Catalog carrier;
  std::array<std::uint64_t, 2> checked{};
  io::broadcast(comm, [&]() -> Catalog& {
    if (comm.rank() > 0) return carrier;
    check_chunks(transport, verification, options.threads);
    carrier.findings = verification.findings;
    checked = {verification.chunks_checked, verification.fields_checked};
    return carrier;
  });
  comm.broadcast(std::as_writable_bytes(std::span(checked)), 0);
  verification.findings = std::move(carrier.findings);
  verification.chunks_checked = checked[0];
  verification.fields_checked = checked[1];
  comm::agree_alike(comm, [&] {
    verification.claims.push_back({.of = "chunks",
                                   .name = "crc32",
                                   .outcome = verification.chunks_checked > 0 ? Outcome::agrees : Outcome::absent});
    io::conclude(verification, options.require);
  });
}

// The fields of a checkpoint are one of its files: without the others it is not complete.
void examine_owner(storage::Transport& transport, Verification& verification, const std::string& path,
                   const Communicator& communicator, const VerifyOptions& options) {
  const auto set = comm::agree_alike(communicator.engine(), [&] { return sets::set_of_fields(path); });
  if (!set) return;
  bool is_alone = false;
  const auto look = [&] {
    is_alone =
        transport.kind(*set) == storage::PathKind::absent && sets::fields_generation_at(transport, path).has_value();
  };
  comm::share_from_root(communicator.engine(), look, is_alone);
  if (!is_alone) return;
  comm::agree_alike(communicator.engine(), [&] {
    verification.findings.push_back(
        {.severity = Severity::error,
         .code = Code::not_found,
         .rule = "sion-set-missing",
         .message = fmt::format("{}: these fields belong to the set {}, which does not exist", path, *set)});
    io::conclude(verification, options.require);
  });
}

// Adds to the result of io::verify() what it does not examine: streams, and the name of a temporary file.
Verification with_streams(Verification verification, storage::Transport& transport, const std::string& path,
                          const Communicator& communicator, const VerifyOptions& options) {
  if (is_ok(verification.verdict) && format_info(verification.format).contents == Contents::streams) {
    examine_streams(transport, verification, communicator, options);
  }
  examine_owner(transport, verification, path, communicator, options);
  const bool is_temporary =
      comm::agree_alike(communicator.engine(), [&] { return base::parse_temporary_name(path).has_value(); });
  if (verification.ok && is_temporary) {
    verification.verdict = Verdict::being_written;
    verification.ok = false;
  }
  return verification;
}

}  // namespace

Verification sets::verify_own(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                              const VerifyOptions& options) {
  return with_streams(io::verify(transport, path, communicator, options), transport, path, communicator, options);
}

namespace {

// The result of a file's sidecar, if it has one, on all ranks.
struct Covered {
  bool is_covered = false;
  Outcome outcome = Outcome::agrees;
  std::uint64_t bytes = 0;  // protected bytes
  std::vector<Finding> findings = {};
  bool is_whole = true;  // every physical file of it has sums
};

// A rewritten file is judged by its own sums, if they decide.
Outcome outcome_of(const sets::JudgedFile& judged, std::optional<Verdict> verdict) noexcept {
  switch (judged.file.state) {
    case ProtectedState::intact:
      return Outcome::agrees;
    case ProtectedState::changed:
      return verdict == Verdict::sound ? Outcome::absent : Outcome::unchecked;
    case ProtectedState::unproven:
    case ProtectedState::unprotected:
      return Outcome::unchecked;
    case ProtectedState::damaged:
    case ProtectedState::lost:
      return Outcome::differs;
  }
  return Outcome::unchecked;
}

// Among several files the worst decides.
Outcome worse(Outcome a, Outcome b) noexcept {
  for (const Outcome outcome : {Outcome::differs, Outcome::unchecked, Outcome::absent}) {
    if (a == outcome || b == outcome) return outcome;
  }
  return Outcome::agrees;
}

// True if no journal changes the meaning of its bytes.
bool is_as_it_lies(const std::string& path, base::ByteSource& file) {
  return io::find_journal(storage::resolve(path), file).state == io::FoundJournal::State::absent;
}

// The physical files of a set share one sidecar.
void judge_files(const protection::Cover& cover, const sets::OwnExamination& own, const std::string& path, int threads,
                 const protection::PassedBlocks* passed, Covered& covered) {
  std::set<std::string> wanted, judged_files{base::plain_path(path)};
  for (const std::string& one : sets::members_of(path, own.catalog)) wanted.insert(base::plain_path(one));
  const bool is_own_set = cover.sidecar->path() == path + std::string(protection::set_ending);
  for (std::size_t i = 0; i < cover.sidecar->head().files.size(); ++i) {
    const std::string one = i == cover.file ? path : cover.sidecar->path_of(i);
    if (i != cover.file && !is_own_set && !wanted.contains(base::plain_path(one))) continue;
    judged_files.insert(base::plain_path(one));
    std::unique_ptr<storage::File> source;
    if (storage::resolve(one).kind(one) == storage::PathKind::file) {
      source = io::open_journaled(storage::resolve(one), one);
    }
    const bool has_passed = passed != nullptr && i == passed->cover().file && source &&
                            passed->are_of(source->identity()) && is_as_it_lies(one, *source);
    const sets::JudgedFile judged =
        sets::judge({cover.sidecar, i}, source.get(), own, one, threads, has_passed ? passed : nullptr);
    covered.bytes += judged.file.bytes;
    for (Finding& finding : sets::findings_of(judged)) covered.findings.push_back(std::move(finding));
    covered.outcome = worse(covered.outcome, outcome_of(judged, own.verdict));
  }
  covered.is_whole = std::ranges::includes(judged_files, wanted);
}

// At the root.
Covered covered_at_root(storage::Transport& names, const std::string& path, std::optional<Verdict> verdict, int threads,
                        const protection::PassedBlocks* passed) {
  Covered covered;
  try {
    const auto cover = passed != nullptr ? std::optional(passed->cover()) : protection::find_cover(names, path);
    if (!cover) return covered;
    covered.is_covered = true;
    judge_files(*cover, sets::own_examination(*cover, path, verdict), path, threads, passed, covered);
    // The first file of a set also represents the parity of all.
    if (cover->file == 0) {
      for (Finding& finding : sets::findings_of(*cover->sidecar, cover->sidecar->damage(threads))) {
        covered.findings.push_back(std::move(finding));
      }
    }
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    covered.is_covered = true;
    covered.outcome = worse(covered.outcome, Outcome::absent);
    covered.findings.push_back({.severity = Severity::warning, .rule = "parity-unreadable", .message = error.what()});
  }
  return covered;
}

// Sums of all bytes replace those that the format does not have.
void add(Verification& verification, Covered covered, Require require) {
  if (covered.outcome == Outcome::agrees && !covered.is_whole) {  // it does not cover the other files
    std::ranges::move(covered.findings, std::back_inserter(verification.findings));
    return;
  }
  if (covered.outcome == Outcome::agrees) {
    std::erase_if(verification.claims, [](const Claim& claim) {
      return claim.outcome == Outcome::uncovered ||
             (claim.outcome == Outcome::absent && claim.name != io::rest_of_field &&
              (claim.evidence == Evidence::exact_sum || claim.evidence == Evidence::second_copy));
    });
  }
  verification.claims.push_back({.of = "file",
                                 .name = "parity",
                                 .evidence = Evidence::exact_sum,
                                 .outcome = covered.outcome,
                                 .offset = 0,
                                 .length = covered.bytes});
  std::ranges::move(covered.findings, std::back_inserter(verification.findings));
  if (verification.verdict == Verdict::being_written) return;
  io::conclude(verification, require);
}

// What the ranks read of a file for its own sums is compared with those of its sidecar at the same time, so that the
// file is read once. Collective, as its functions are.
class SidecarCheck {
 public:
  // No sidecar, or one that cannot be read: nothing is compared here, and what it is is said later.
  // `names`: in which the sidecar is looked for; outlives this.
  SidecarCheck(storage::Transport& names, const std::string& path, comm::Comm& comm) : names_(names), comm_(comm) {
    std::array<std::uint64_t, 1> words{};
    comm::agree(comm_, [&] {
      if (comm_.rank() == 0) open(path);
      words[0] = blocks_ ? blocks_->words() : 0;
    });
    comm_.broadcast(std::as_writable_bytes(std::span(words)), 0);
    if (words[0] == 0) return;
    comm::agree(comm_, [&] {
      if (comm_.rank() > 0) open(path);
      if (blocks_ && blocks_->words() != words[0]) blocks_.reset();
      words_.resize(static_cast<std::size_t>(words[0]));
    });
  }

  // nullptr: as they are. Otherwise the files through which bytes pass.
  std::unique_ptr<storage::Transport> files(storage::Transport& transport, const std::string& path) {
    return comm::agree_alike(comm_, [&]() -> std::unique_ptr<storage::Transport> {
      if (!blocks_) return nullptr;
      return std::make_unique<protection::PassingTransport>(transport, path, *blocks_);
    });
  }

  // At the root those of all ranks that saw the file that it saw; elsewhere they are not used.
  const protection::PassedBlocks* blocks() {
    if (comm_.size() == 1 || words_.empty()) return blocks_.get();
    const auto own = blocks_ ? blocks_->identity() : std::nullopt;
    storage::Identity seen = own.value_or(storage::Identity{});
    comm_.broadcast(std::as_writable_bytes(std::span(&seen, 1)), 0);
    const bool is_the_same =
        own && storage::is_same_across_nodes(*own, seen) && own->bytes == seen.bytes && own->modified == seen.modified;
    if (is_the_same) blocks_->put_words(words_);
    comm_.all_reduce(words_, comm::Reduce::bit_or);
    if (is_the_same) blocks_->add_words(words_);
    return blocks_.get();
  }
  // At the root: true if there is no sidecar, which need not be looked for again.
  bool has_none() const noexcept { return has_none_; }

 private:
  void open(const std::string& path) {
    try {
      auto cover = protection::find_cover(names_, path);
      has_none_ = !cover;
      if (cover) blocks_ = std::make_unique<protection::PassedBlocks>(*std::move(cover));
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory) throw;
    }
  }

  storage::Transport& names_;
  comm::Comm& comm_;
  std::unique_ptr<protection::PassedBlocks> blocks_;
  bool has_none_ = false;
  std::vector<std::uint64_t> words_;
};

Covered covered_by_sidecar(storage::Transport& names, const std::string& path, std::optional<Verdict> verdict,
                           const Communicator& communicator, int threads, SidecarCheck& passing) {
  comm::Comm& comm = communicator.engine();
  const protection::PassedBlocks* const passed = passing.blocks();
  Covered covered;
  Catalog carrier;
  std::array<std::uint64_t, 4> told{};
  io::broadcast(comm, [&]() -> Catalog& {
    if (comm.rank() > 0) return carrier;
    if (!passing.has_none()) covered = covered_at_root(names, path, verdict, threads, passed);
    told = {covered.is_covered ? 1U : 0U, static_cast<std::uint64_t>(covered.outcome), covered.bytes,
            covered.is_whole ? 1U : 0U};
    carrier.findings = covered.findings;
    return carrier;
  });
  comm.broadcast(std::as_writable_bytes(std::span(told)), 0);
  return {told[0] != 0, static_cast<Outcome>(told[1]), told[2], std::move(carrier.findings), told[3] != 0};
}

[[noreturn]] void rethrow_with_remedy(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    throw sets::with_remedy(error);
  }
}

// Adds what the sidecar shows, if anything.
[[noreturn]] void rethrow_with(const std::exception_ptr& failure, const Covered& covered, const std::string& path) {
  std::string more;
  if (!covered.findings.empty()) {
    more = covered.findings.front().message;
  } else if (covered.is_covered) {
    more = "According to its sidecar, every byte is unchanged since it was protected";
  } else if (protection::is_sidecar(path)) {
    more = "This is a sidecar with parity: `lq protect --check` compares it with its files";
  }
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (more.empty()) throw;
    throw Error(error.code(), fmt::format("{}. {}", error.what(), more), error.facts());
  }
}

// `scanned`: the file, if it was scanned before.
Verification verify_with_sidecar(storage::Transport& transport, const std::string& path,
                                 const Communicator& communicator, const VerifyOptions& options,
                                 const std::shared_ptr<io::ScannedFile>& scanned) {
  comm::Comm& comm = communicator.engine();
  std::optional<Verification> own;
  std::exception_ptr failure;  // of the file: the same on all ranks
  std::optional<Verdict> verdict;
  bool is_absent = false;
  SidecarCheck passing(transport, path, comm);
  const auto files = passing.files(transport, path);
  try {
    if (scanned && !files) {
      own = with_streams(io::verify(scanned, communicator, options), transport, path, communicator, options);
    } else {
      own = sets::verify_own(files ? *files : transport, path, communicator, options);
    }
    verdict = own->verdict;
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) throw;
    failure = std::current_exception();
    is_absent = error.code() == Code::not_found;
    if (error.code() != Code::unknown_format) verdict = io::verdict_of(error);
  }
  if (is_absent) comm::agree_at_root(comm, [&] { rethrow_with_remedy(failure); });
  Covered covered = covered_by_sidecar(transport, path, verdict, communicator, options.threads, passing);
  comm::agree_alike(comm, [&] {
    if (failure) rethrow_with(failure, covered, path);
    if (covered.is_covered) add(*own, std::move(covered), options.require);
  });
  return *std::move(own);
}

}  // namespace

Verification sets::verify_file(storage::Transport& transport, const std::string& path, const Communicator& communicator,
                               const VerifyOptions& options) {
  return verify_with_sidecar(transport, path, communicator, options, nullptr);
}

Verification sets::verify_scanned(storage::Transport& transport, const std::string& path, const VerifyOptions& options,
                                  const std::shared_ptr<io::ScannedFile>& scanned) {
  return verify_with_sidecar(transport, path, {}, options, scanned);
}

}  // namespace lq
