// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <limequat/error.hpp>

#include "base/path.hpp"
#include "io/replacement.hpp"
#include "kernels/crc32.hpp"
#include "simulation/system.hpp"
#include "support/faulty.hpp"
#include "support/flipping.hpp"
#include "support/held_memory.hpp"
#include "support/thread_comm.hpp"
#include "support/troubled_comm.hpp"
#include "support/turns.hpp"

namespace lq::simulation {
namespace {

using Kind = Trouble::Kind;
using Files = testing::PowerFailures::Files;
using testing::RecordedOperation;

constexpr const char* own_failure = "the program's own failure";

bool is_of_memory(const Trouble& trouble) {
  return trouble.kind == Kind::ranks && (trouble.fault.kind == torture::Fault::Kind::memory_once ||
                                         trouble.fault.kind == torture::Fault::Kind::memory_for_good);
}
bool is_of_network(const Trouble& trouble) {
  return trouble.kind == Kind::ranks && trouble.fault.kind == torture::Fault::Kind::network;
}
bool is_of_program(const Trouble& trouble) {
  return trouble.kind == Kind::ranks && trouble.fault.kind == torture::Fault::Kind::program;
}

testing::Fault storage_fault(const Trouble& trouble) {
  if (trouble.ends_job()) return testing::Fault::gone;
  switch (trouble.fault.kind) {
    case torture::Fault::Kind::short_write:
      return testing::Fault::short_write;
    case torture::Fault::Kind::no_space:
      return testing::Fault::no_space;
    default:
      return testing::Fault::error;
  }
}

// The surroundings of a group of ranks, over the machine's disk.
class Surroundings {
 public:
  Surroundings(storage::Transport& disk, const Trouble& trouble, int ranks, std::uint64_t seed)
      : trouble_(trouble),
        turns_(ranks, seed, [this] { return has_ended(); }),
        flipping_(disk, trouble.kind == Kind::flipped_bit ? trouble.fault.at : -1, trouble.place, trouble.bit),
        storage_(flipping_, trouble.kind == Kind::storage || trouble.ends_job() ? trouble.fault.at : -1,
                 storage_fault(trouble), [this] { turns_.hand_over(); }),
        network_(is_of_network(trouble) ? trouble.fault.at : -1) {
    memory_.fail_at = is_of_memory(trouble) ? trouble.fault.at : -1;
    memory_.for_good = trouble.fault.kind == torture::Fault::Kind::memory_for_good;
  }

  storage::Transport& storage() noexcept { return storage_; }
  testing::Turns& turns() noexcept { return turns_; }
  bool has_ended() const noexcept { return trouble_.ends_job() && storage_.has_failed(); }
  bool has_met() const noexcept {
    return storage_.has_failed() || flipping_.has_flipped() || memory_.has_failed() || network_.has_failed() ||
           (is_of_program(trouble_) && own_calls_ > trouble_.fault.at);
  }

  void live(const std::shared_ptr<comm::Comm>& comm, int ranks_per_node, const RankWork& work) {
    const int number = comm->rank();
    testing::client_of_thread = static_cast<std::uint64_t>(number / ranks_per_node) + 1;
    const bool is_chosen = number == trouble_.fault.rank;
    testing::NetworkFault sound{-1};
    testing::NetworkFault& network = is_chosen ? network_ : sound;
    const Communicator all(std::make_shared<testing::TroubledComm>(comm, network));
    const Rank rank{storage_, all, [this, is_chosen] {
                      if (is_chosen) run_own_code();
                    }};
    const Work prepared = work(rank);
    const testing::OwnedBy owner(is_chosen && is_of_memory(trouble_) ? &memory_ : nullptr);
    network.is_on = true;
    prepared();
  }

 private:
  void run_own_code() {
    if (own_calls_++ == trouble_.fault.at && is_of_program(trouble_)) throw Error(Code::invalid_argument, own_failure);
  }

  Trouble trouble_;
  testing::Turns turns_;
  testing::FlippingTransport flipping_;
  testing::FaultyTransport storage_;
  testing::HeldMemory memory_;
  testing::NetworkFault network_;
  std::int64_t own_calls_ = 0;
};

// What ranks saw that should not be, whatever became of the others.
void rethrow_findings(const std::vector<std::exception_ptr>& failures) {
  for (const std::exception_ptr& failure : failures) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const Failure&) {
      throw;
    } catch (...) {
    }
  }
}

// As if the disk had not done what it said.
std::vector<RecordedOperation> as_planted(const std::vector<RecordedOperation>& operations, Plant plant) {
  constexpr std::size_t late = 10;
  using enum RecordedOperation::Kind;
  if (plant == Plant::none) return operations;
  std::vector<RecordedOperation> done;
  std::vector<std::pair<std::size_t, RecordedOperation>> put_off;  // until so many operations were there
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const RecordedOperation& operation = operations[i];
    const bool is_lost = (plant == Plant::no_sync && operation.kind == sync) ||
                         (plant == Plant::no_folder_sync && operation.kind == sync_folder);
    if (plant == Plant::late_sync && operation.kind == sync) {
      put_off.emplace_back(i + late, operation);
    } else if (!is_lost) {
      done.push_back(operation);
    }
    while (!put_off.empty() && put_off.front().first <= i) {
      done.push_back(put_off.front().second);
      put_off.erase(put_off.begin());
    }
  }
  return done;
}

std::uint64_t digest_of(std::uint64_t before, std::string_view text) {
  const std::uint64_t mixed = before * 0x9e3779b97f4a7c15U + kernels::crc32(0, base::as_bytes(text));
  return mixed ^ (mixed >> 29);
}

// Files keep their inodes and times over a power failure, which those here do not: the record of a replacement gets
// those of the files that are there.
std::string with_present_identities(storage::Transport& disk, const std::string& path, const std::string& record) {
  auto replacement = io::decode_replacement(base::as_bytes(record), path);
  if (!replacement) return record;
  const auto is_there = [&](const std::string& name) { return disk.kind(name) == storage::PathKind::file; };
  for (io::Replacement::Member& member : replacement->members) {
    const bool has_its_name = !is_there(member.from);
    if (!is_there(has_its_name ? member.to : member.from)) continue;
    const storage::Identity now = disk.identity(has_its_name ? member.to : member.from);
    if (now.bytes == member.made.bytes) member.made = now;
    if (member.before && !has_its_name && is_there(member.to)) member.before = disk.identity(member.to);
  }
  return std::string(base::as_text(io::encode_replacement(*replacement)));
}

std::int64_t time_of(const std::string& bytes) { return 1'000'000'000 + kernels::crc32(0, base::as_bytes(bytes)); }

}  // namespace

Trouble draw_trouble(Draw& draw, int ranks) {
  Trouble trouble;
  trouble.kind = draw.one_of({Kind::none, Kind::none, Kind::none, Kind::storage, Kind::storage, Kind::ranks,
                              Kind::ranks, Kind::end_of_job, Kind::power, Kind::power, Kind::power, Kind::flipped_bit});
  trouble.fault.rank = static_cast<int>(draw.below(static_cast<std::uint64_t>(ranks)));
  const bool is_late = draw.once_in(3);
  trouble.fault.at = static_cast<std::int64_t>(draw.size_up_to(is_late ? 400 : 60));
  trouble.place = static_cast<double>(draw.below(1 << 20)) / (1 << 20);
  trouble.bit = static_cast<int>(draw.below(8));
  if (trouble.kind == Kind::storage) {
    using enum torture::Fault::Kind;
    trouble.fault.kind = draw.one_of({storage_error, short_write, no_space});
  } else if (trouble.kind == Kind::ranks) {
    using enum torture::Fault::Kind;
    trouble.fault.kind = draw.one_of({memory_once, memory_for_good, network, program});
  }
  return trouble;
}

std::size_t change_byte(std::string& bytes, Draw& draw) {
  const std::size_t place = draw.below(bytes.size());
  bytes[place] = static_cast<char>(static_cast<unsigned char>(bytes[place]) ^ (1 + draw.below(255)));
  return place;
}

std::string words(const Trouble& trouble) {
  switch (trouble.kind) {
    case Kind::none:
      return "no trouble";
    case Kind::storage:
    case Kind::ranks:
      return torture::words(trouble.fault);
    case Kind::end_of_job:
      return fmt::format("the job ends at operation {} of the storage", trouble.fault.at);
    case Kind::power:
      return fmt::format("the power fails at operation {} of the storage", trouble.fault.at);
    case Kind::flipped_bit:
      return fmt::format("bit {} flips in read {}", trouble.bit, trouble.fault.at);
  }
  return {};
}

std::string words(const Outcome& outcome) {
  if (outcome.has_ended) return "    which took the job with it";
  return outcome.error.empty() ? "    succeeded" : "    failed with " + outcome.error;
}

Machine::Machine(Draw& draw, Plant plant)
    : draw_(draw),
      plant_(plant),
      caches_(draw.once_in(2) ? testing::Caches::of_the_machine : testing::Caches::of_each_thread),
      before_(Files()) {
  start({});
  show_disk([this]() -> const std::set<std::string>& { return names(); });
}

Machine::~Machine() { show_disk({}); }

void Machine::start(Files files) {
  auto memory = storage::make_memory();
  names_.clear();
  named_ = 0;
  for (const auto& [path, bytes] : files) {
    names_.insert(path);
    memory->create(path)->write_at(0, base::as_bytes(bytes));
    // What was copied keeps its time, as equal contents have it here.
    memory->set_modified(path, time_of(bytes));
  }
  for (auto& [path, bytes] : files) {
    if (!path.ends_with(base::replacement_ending)) continue;
    bytes = with_present_identities(*memory, path, bytes);
    memory->open_write(path)->write_at(0, base::as_bytes(bytes));
  }
  disk_ = std::make_unique<testing::RecordingTransport>(*memory);
  memory_ = std::move(memory);
  before_ = testing::PowerFailures(std::move(files));
}

void Machine::fail_power() {
  ++power_failures_;
  std::mt19937_64 random(draw_.number());
  start(before_.drawn(as_planted(disk_->operations(), plant_), caches_, random));
}

const std::set<std::string>& Machine::names() {
  const auto& operations = disk_->operations();
  for (; named_ < operations.size(); ++named_) testing::follow(names_, operations[named_]);
  return names_;
}

std::string Machine::bytes(const std::string& path) const {
  const auto file = memory_->open_read(path);
  std::string bytes(file->size(), '\0');
  file->read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

Files Machine::files() {
  Files files;
  for (const std::string& path : names()) files[path] = bytes(path);
  return files;
}

void Machine::remove(const std::string& path) {
  disk_->remove(path);
  disk_->sync_directory(path);
}

void Machine::put(const std::string& path, const std::string& bytes) {
  const auto file = has(path) ? disk_->open_write(path) : disk_->create(path);
  file->resize(bytes.size());
  file->write_at(0, base::as_bytes(bytes));
  file->sync();
  disk_->sync_directory(path);
  memory_->set_modified(path, time_of(bytes));
}

std::uint64_t Machine::digest() {
  std::uint64_t digest = digest_;
  for (const auto& [path, bytes] : files()) {
    // A lock says which process has it, the record of a replacement where its files are in memory.
    const bool is_of_process = path.ends_with(".lock") || path.ends_with(base::replacement_ending);
    digest = digest_of(digest_of(digest, path), is_of_process ? std::string() : bytes);
  }
  return digest;
}

Outcome Machine::run(const Crew& crew, const Trouble& trouble, const RankWork& work) {
  Surroundings around(*disk_, trouble, crew.ranks, draw_.number());
  Outcome outcome;
  {
    const storage::Mount mount(folder, around.storage());
    const std::vector<std::exception_ptr> failures = testing::outcomes_of_ranks(
        crew.ranks, [&](std::shared_ptr<comm::Comm> comm) { around.live(comm, crew.ranks_per_node, work); },
        {.ranks_per_node = crew.ranks_per_node, .turns = &around.turns()});
    steps_ += around.turns().steps();
    outcome.has_met = around.has_met();
    outcome.has_ended = around.has_ended();
    rethrow_findings(failures);
    if (around.turns().is_endless()) throw Failure("ranks do not come to an end");
    if (!outcome.has_ended) outcome.error = torture::common_sentence(failures, trouble.fault.kind);
  }
  digest_ =
      digest_of(digest_, fmt::format("{} {} {}", around.turns().steps(), disk_->operations().size(), outcome.error));
  disk_->write_back();
  if (outcome.has_ended && trouble.kind == Kind::power) fail_power();
  if (!outcome.error.empty() && !outcome.has_met) throw Failure("failed without a fault: " + outcome.error);
  return outcome;
}

void Machine::must_succeed(const Crew& crew, const RankWork& work) { (void)run(crew, {}, work); }

}  // namespace lq::simulation
