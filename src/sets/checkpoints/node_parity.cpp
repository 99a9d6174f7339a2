// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sets/checkpoints/node_parity.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <limequat/grid.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/wire.hpp"
#include "kernels/galois.hpp"

namespace lq::sets {
namespace {

constexpr std::uint64_t no_rank = ~std::uint64_t{0};

// How the parts of a group of `members` are divided. Each part consists of chunks of the same size. Stripe s holds one
// chunk of each part, except those of the members s, s + 1, ... (counted round), which keep the stripe's parities.
struct ParityCode {
  std::uint32_t members = 0, restorable = 0;

  std::uint32_t chunks() const noexcept { return members - restorable; }
  // The chunk of a member's part that is in a stripe; none if the member keeps a parity of it.
  std::optional<std::uint32_t> chunk_in(std::uint32_t stripe, std::uint32_t member) const noexcept {
    const std::uint32_t chunk = (stripe + 2 * members - member - 1) % members;
    return chunk < chunks() ? std::optional(chunk) : std::nullopt;
  }
  std::uint32_t stripe_of(std::uint32_t chunk, std::uint32_t member) const noexcept {
    return (member + chunk + 1) % members;
  }
  std::uint32_t keeper_of(std::uint32_t stripe, std::uint32_t parity) const noexcept {
    return (stripe + parity) % members;
  }
  std::uint32_t parity_of(std::uint32_t stripe, std::uint32_t keeper) const noexcept {
    return (keeper + members - stripe) % members;
  }
  std::uint64_t chunk_bytes(std::uint64_t part_bytes) const noexcept { return (part_bytes + chunks() - 1) / chunks(); }
};

// The bytes that are sent at a time, if `messages` of them are held.
std::uint64_t bytes_at_a_time(std::uint64_t memory, std::uint64_t messages) noexcept {
  return std::clamp<std::uint64_t>(memory / std::max<std::uint64_t>(messages, 1) / base::kibi, 1, 4096) * base::kibi;
}

std::uint64_t bytes_of(const ParityMember& member) noexcept {
  std::uint64_t bytes = 0;
  for (const SummedFile& file : member.files) bytes += file.bytes;
  return bytes;
}

// The files of a published part: those of its manifest, and the manifest itself.
std::vector<SummedFile> part_files(const NodePart& part) {
  std::vector<SummedFile> files;
  for (const SummedFile& file : part.manifest.files) files.push_back({file.name, file.bytes});
  const std::uint64_t bytes = CheckpointDirectory(part.folder).manifest_text(part.name).size();
  files.push_back({std::string(manifest_name), bytes});
  return files;
}

// The files of a part as one sequence of bytes.
class PartReader {
 public:
  PartReader(const NodePart& part, std::vector<SummedFile> files)
      : directory_(part.folder), path_(directory_.of(part.name)), files_(std::move(files)) {}

  // Adds the bytes from `offset` on to the message, fewer than `bytes` at the end of the part.
  void append(std::uint64_t offset, std::uint64_t bytes, std::vector<std::byte>& message) {
    for (std::size_t number = 0; number < files_.size() && bytes > 0; ++number) {
      const SummedFile& file = files_[number];
      if (offset >= file.bytes) {
        offset -= file.bytes;
        continue;
      }
      const std::uint64_t wanted = std::min(bytes, file.bytes - offset);
      const std::size_t before = message.size();
      message.resize(before + static_cast<std::size_t>(wanted));
      // No sum covers these bytes: parity of one that was read wrongly would restore nothing.
      if (base::read_twice(opened(number), offset, base::MutableBytes(message).subspan(before)) != wanted) {
        base::fail(Code::truncated, path_ + "/" + file.name, "the file became shorter while it was read");
      }
      bytes -= wanted;
      offset = 0;
    }
  }

 private:
  storage::File& opened(std::size_t number) {
    if (open_ == nullptr || number != opened_) {
      open_ = directory_.transport().open_read(path_ + "/" + files_[number].name);
      opened_ = number;
    }
    return *open_;
  }

  CheckpointDirectory directory_;
  std::string path_;
  std::vector<SummedFile> files_;
  std::unique_ptr<storage::File> open_;
  std::size_t opened_ = 0;
};

// The same, written in any order.
class PartWriter {
 public:
  PartWriter(const CheckpointDirectory& into, std::uint64_t step, const std::vector<SummedFile>& files)
      : part_(into, step) {
    for (const SummedFile& file : files) files_.push_back({file.bytes, part_.create(file.name)});
  }

  // Bytes after the end are ignored.
  void write(std::uint64_t offset, base::Bytes bytes) {
    for (const auto& [size, file] : files_) {
      if (bytes.empty()) return;
      if (offset >= size) {
        offset -= size;
        continue;
      }
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size - offset));
      file->write_at(offset, bytes.first(part));
      bytes = bytes.subspan(part);
      offset = 0;
    }
  }
  std::string publish() {
    for (const auto& [size, file] : files_) {
      file->sync();
      file->close();
    }
    files_.clear();
    return part_.publish();
  }

 private:
  UnfinishedCheckpoint part_;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<storage::File>>> files_;  // closed before the folder is removed
};

// Sums of products, of a few stripes at a time.
class Accumulator {
 public:
  explicit Accumulator(std::size_t stripes) : sums_(stripes) {}

  void clear(std::uint64_t bytes) {
    for (std::vector<std::byte>& sum : sums_) sum.assign(static_cast<std::size_t>(bytes), std::byte{0});
  }
  void add(std::size_t stripe, const kernels::ProductTables& factor, base::Bytes bytes) {
    std::byte* const sum = sums_[stripe].data();
    factor.add_products(bytes.first(std::min(bytes.size(), sums_[stripe].size())), &sum);
  }
  base::Bytes sum(std::size_t stripe) const { return sums_[stripe]; }

 private:
  std::vector<std::vector<std::byte>> sums_;
};

kernels::ProductTables tables_of(std::uint8_t factor) { return kernels::ProductTables(std::span(&factor, 1)); }

// One message for each rank, made of numbered pieces.
class Outbox {
 public:
  // `fill` adds the bytes of the piece.
  template <class Fill>
  void add(int rank, std::uint64_t number, const Fill& fill) {
    std::vector<std::byte>& bytes = messages_[rank];
    comm::append(bytes, number);
    const std::size_t at = bytes.size();
    comm::append(bytes, std::uint64_t{0});
    fill(bytes);
    const std::uint64_t size = bytes.size() - at - sizeof size;
    std::memcpy(bytes.data() + at, &size, sizeof size);
  }
  std::vector<comm::Message> take() {
    std::vector<comm::Message> all;
    for (auto& [rank, bytes] : messages_) all.push_back({rank, std::move(bytes)});
    messages_.clear();
    return all;
  }

 private:
  std::map<int, std::vector<std::byte>> messages_;
};

template <class Take>
void for_each_piece(base::Bytes bytes, const Take& take) {
  while (!bytes.empty()) {
    const auto number = comm::take<std::uint64_t>(bytes);
    const auto size = comm::take<std::uint64_t>(bytes);
    if (size > bytes.size()) throw Error(Code::communication, "a message from another rank arrived incomplete");
    take(number, bytes.first(static_cast<std::size_t>(size)));
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
}

// Parity of a group's parts, made on one rank of it.
class ParityWriter {
 public:
  ParityWriter(std::vector<ParityMember> members, std::uint32_t member, std::uint32_t restorable, const NodePart& part,
               const CheckpointDirectory& into)
      : code_{static_cast<std::uint32_t>(members.size()), restorable},
        member_(member),
        reader_(part, members[member].files),
        into_(into),
        entry_(into, part.manifest.step),
        file_(entry_.create(parity_file_name)),
        sums_(restorable) {
    manifest_.step = part.manifest.step;
    manifest_.save = part.manifest.save;
    manifest_.set = part.manifest.set;
    manifest_.piece = part.manifest.piece;
    manifest_.pieces = part.manifest.pieces;
    manifest_.ranks = part.manifest.ranks;
    manifest_.restorable = restorable;
    manifest_.members = std::move(members);
    for (const ParityMember& one : manifest_.members) {
      manifest_.chunk_bytes = std::max(manifest_.chunk_bytes, code_.chunk_bytes(bytes_of(one)));
    }
    at_a_time_ = bytes_at_a_time(16 * base::mebi, std::uint64_t{code_.chunks()} * restorable);
    for (std::uint32_t parity = 0; parity < restorable; ++parity) {
      for (std::uint32_t one = 0; one < code_.members; ++one) {
        factors_.push_back(tables_of(kernels::parity_factor(parity, one)));
      }
    }
  }

  std::uint64_t rounds() const noexcept { return (manifest_.chunk_bytes + at_a_time_ - 1) / at_a_time_; }

  std::vector<comm::Message> pieces(std::uint64_t round) {
    Outbox outbox;
    for (std::uint32_t chunk = 0; chunk < code_.chunks(); ++chunk) {
      std::vector<std::byte> bytes;
      reader_.append(chunk * manifest_.chunk_bytes + round * at_a_time_, bytes_in(round), bytes);
      const std::uint32_t stripe = code_.stripe_of(chunk, member_);
      for (std::uint32_t parity = 0; parity < code_.restorable; ++parity) {
        const int to = manifest_.members[code_.keeper_of(stripe, parity)].rank;
        outbox.add(to, stripe,
                   [&](std::vector<std::byte>& message) { message.insert(message.end(), bytes.begin(), bytes.end()); });
      }
    }
    return outbox.take();
  }
  void take(std::uint64_t round, const std::vector<comm::Message>& arrived) {
    sums_.clear(bytes_in(round));
    for (const comm::Message& message : arrived) {
      const std::uint32_t from = member_of(message.rank);
      for_each_piece(message.bytes, [&](std::uint64_t stripe, base::Bytes bytes) {
        const std::uint32_t parity = code_.parity_of(static_cast<std::uint32_t>(stripe), member_);
        sums_.add(parity, factors_[std::size_t{parity} * code_.members + from], bytes);
      });
    }
    for (std::uint32_t parity = 0; parity < code_.restorable; ++parity) {
      file_->write_at(parity * manifest_.chunk_bytes + round * at_a_time_, sums_.sum(parity));
    }
  }
  void publish() {
    file_->sync();
    file_->close();
    file_.reset();
    const std::uint64_t bytes = manifest_.chunk_bytes * code_.restorable;
    manifest_.date = base::seconds_now();
    manifest_.block_bytes = block_bytes_for(bytes);
    manifest_.files = {{std::string(parity_file_name), bytes}};
    sum_files(Communicator().engine(), into_.transport(), entry_.folder(), manifest_);
    prove(Communicator().engine(), into_.transport(), entry_.folder(), manifest_);
    into_.write_small(entry_.path_of(manifest_name), base::as_bytes(encode(manifest_)));
    entry_.publish();
  }

 private:
  std::uint64_t bytes_in(std::uint64_t round) const noexcept {
    const std::uint64_t begin = std::min(round * at_a_time_, manifest_.chunk_bytes);
    return std::min(at_a_time_, manifest_.chunk_bytes - begin);
  }
  std::uint32_t member_of(int rank) const {
    const auto found = std::ranges::find(manifest_.members, rank, &ParityMember::rank);
    return static_cast<std::uint32_t>(found - manifest_.members.begin());
  }

  ParityCode code_;
  std::uint32_t member_;
  PartReader reader_;
  const CheckpointDirectory& into_;
  UnfinishedCheckpoint entry_;
  std::unique_ptr<storage::File> file_;
  Accumulator sums_;
  std::vector<kernels::ProductTables> factors_;  // of each member in each parity
  Manifest manifest_;
  std::uint64_t at_a_time_ = 0;
};

void append_files(std::vector<std::byte>& bytes, const std::vector<SummedFile>& files) {
  for (const SummedFile& file : files) {
    comm::append(bytes, file.bytes);
    comm::append_text(bytes, file.name);
  }
}

std::vector<SummedFile> take_files(base::Bytes bytes) {
  std::vector<SummedFile> files;
  while (!bytes.empty()) {
    const auto size = comm::take<std::uint64_t>(bytes);
    files.push_back({comm::take_text(bytes), size});
  }
  return files;
}

// Collective. The files of all parts of the group.
std::vector<ParityMember> gather_members(comm::Comm& comm, std::span<const int> group, const NodePart& part) {
  std::vector<ParityMember> members;
  const auto make = [&] {
    std::vector<comm::Message> messages;
    std::vector<std::byte> mine;
    if (!group.empty()) append_files(mine, part_files(part));
    for (const int rank : group) messages.push_back({rank, mine});
    return messages;
  };
  comm::exchange_messages(comm, make, [&](std::vector<comm::Message> arrived) {
    for (const comm::Message& message : arrived) members.push_back({message.rank, take_files(message.bytes)});
  });
  return members;
}

// The rest of a group: for each member the rank that provides its part, and the one that provides its parity.
struct Left {
  Manifest group;  // members and how their parts are divided
  std::vector<std::uint64_t> parts, parities;

  ParityCode code() const noexcept { return {static_cast<std::uint32_t>(group.members.size()), group.restorable}; }
  bool holds(std::uint64_t rank) const {
    return std::ranges::any_of(group.members,
                               [&](const ParityMember& one) { return static_cast<std::uint64_t>(one.rank) == rank; });
  }
};

// A term of the sum that restores a lost part: a multiple of a chunk or of a parity.
struct Addend {
  std::uint32_t chunk = 0;             // of the lost part
  std::uint32_t stripe = 0, from = 0;  // a member
  bool is_parity = false;
  std::uint8_t factor = 0;
};

// Adds the terms of a stripe for the lost part; false: too little of the stripe is left.
bool add_stripe(const Left& left, std::uint32_t lost, std::uint32_t chunk, std::vector<Addend>& addends) {
  const ParityCode code = left.code();
  const std::uint32_t stripe = code.stripe_of(chunk, lost);
  std::vector<std::uint32_t> unknown, known, parities;
  for (std::uint32_t member = 0; member < code.members; ++member) {
    if (!code.chunk_in(stripe, member)) continue;
    (left.parts[member] == no_rank ? unknown : known).push_back(member);
  }
  for (std::uint32_t parity = 0; parity < code.restorable && parities.size() < unknown.size(); ++parity) {
    if (left.parities[code.keeper_of(stripe, parity)] != no_rank) parities.push_back(parity);
  }
  const std::size_t n = unknown.size();
  if (parities.size() < n) return false;
  std::vector<std::uint8_t> matrix;
  for (const std::uint32_t parity : parities) {
    for (const std::uint32_t member : unknown) matrix.push_back(kernels::parity_factor(parity, member));
  }
  if (!kernels::galois_invert(matrix, n)) return false;
  const auto row = static_cast<std::size_t>(std::ranges::find(unknown, lost) - unknown.begin());
  for (std::size_t k = 0; k < n; ++k) {
    addends.push_back({chunk, stripe, code.keeper_of(stripe, parities[k]), true, matrix[row * n + k]});
  }
  for (const std::uint32_t member : known) {
    std::uint8_t factor = 0;
    for (std::size_t k = 0; k < n; ++k) {
      factor ^= kernels::galois_product(matrix[row * n + k], kernels::parity_factor(parities[k], member));
    }
    addends.push_back({chunk, stripe, member, false, factor});
  }
  return true;
}

// A part that is lost, and how it is restored.
struct Restoration {
  int rank = 0;
  std::size_t group = 0;
  std::uint32_t member = 0;
  std::vector<Addend> addends = {};
};

std::vector<Restoration> plan_restorations(const std::vector<Left>& groups, std::span<const std::uint64_t> lost) {
  std::vector<Restoration> all;
  for (const std::uint64_t rank : lost) {
    for (std::size_t number = 0; number < groups.size(); ++number) {
      const Left& left = groups[number];
      if (!left.holds(rank)) continue;
      Restoration one{static_cast<int>(rank), number};
      while (static_cast<std::uint64_t>(left.group.members[one.member].rank) != rank) ++one.member;
      bool is_possible = true;
      for (std::uint32_t chunk = 0; chunk < left.code().chunks() && is_possible; ++chunk) {
        is_possible = add_stripe(left, one.member, chunk, one.addends);
      }
      if (!is_possible) continue;
      all.push_back(std::move(one));
      break;
    }
  }
  return all;
}

// True if restore_parts() can use it: its sums agree, but another program may have made it.
bool is_usable(const Manifest& group) {
  const std::size_t members = group.members.size();
  return group.restorable > 0 && members > group.restorable &&
         members + group.restorable <= kernels::most_code_blocks && group.chunk_bytes > 0 && group.files.size() == 1 &&
         group.files.front().name == parity_file_name &&
         group.files.front().bytes / group.restorable == group.chunk_bytes;
}

// The properties common to all parity of a group.
std::string description_of(const Manifest& parity) {
  Manifest group;
  group.step = parity.step;
  group.restorable = parity.restorable;
  group.chunk_bytes = parity.chunk_bytes;
  group.members = parity.members;
  return encode(group);
}

// Collective. The groups with a lost member and existing parity on any rank.
std::vector<Left> find_groups(comm::Comm& comm, std::span<const std::uint64_t> lost,
                              const std::vector<NodePart>& parity) {
  std::vector<std::byte> all;
  comm::agree(comm, [&] {
    std::exception_ptr failure;
    std::vector<std::byte> mine;
    base::keep_failure(failure, [&] {
      std::set<std::string> texts;
      for (const NodePart& one : parity) {
        const Left group{one.manifest, {}, {}};
        if (is_usable(one.manifest) && std::ranges::any_of(lost, [&](std::uint64_t rank) { return group.holds(rank); }))
          texts.insert(description_of(one.manifest));
      }
      for (const std::string& text : texts) comm::append_text(mine, text);
    });
    std::vector<std::vector<std::byte>> gathered;
    comm::take_part(failure, [&] { gathered = comm.gather(mine, 0); });
    base::keep_failure(failure, [&] {
      std::set<std::string> texts;
      for (const std::vector<std::byte>& bytes : gathered) {
        for (base::Bytes rest = bytes; !rest.empty();) texts.insert(comm::take_text(rest));
      }
      for (const std::string& text : texts) comm::append_text(all, text);
    });
    if (failure) std::rethrow_exception(failure);
  });
  return comm::agree(comm, [&] {
    const std::vector<std::byte> bytes = comm::broadcast_bytes(comm, all);
    std::vector<Left> groups;
    for (base::Bytes rest = bytes; !rest.empty();) {
      groups.push_back({decode_manifest("a message from another rank", comm::take_text(rest)), {}, {}});
    }
    return groups;
  });
}

const NodePart* parity_of(const std::vector<NodePart>& parity, const Left& left, std::size_t member) {
  const int rank = left.group.members[member].rank;
  for (const NodePart& one : parity) {
    if (one.manifest.piece == rank && description_of(one.manifest) == encode(left.group)) return &one;
  }
  return nullptr;
}

// Collective. The providers of the groups' parts and parity: among the ranks that can read them, the lowest.
void find_givers(comm::Comm& comm, std::vector<Left>& groups, const std::map<std::uint64_t, NodePart>& parts,
                 const std::vector<NodePart>& parity) {
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  std::vector<std::uint64_t> givers;
  comm::agree(comm, [&] {
    for (Left& left : groups) {
      const std::size_t members = left.group.members.size();
      left.parts.resize(members);
      left.parities.resize(members);
      for (std::size_t member = 0; member < members; ++member) {
        const auto part = parts.find(static_cast<std::uint64_t>(left.group.members[member].rank));
        givers.push_back(part != parts.end() ? rank : no_rank);
        givers.push_back(parity_of(parity, left, member) != nullptr ? rank : no_rank);
      }
    }
  });
  comm.all_reduce(givers, comm::Reduce::min);
  std::size_t next = 0;
  for (Left& left : groups) {
    for (std::size_t member = 0; member < left.parts.size(); ++member) {
      left.parts[member] = givers[next++];
      left.parities[member] = givers[next++];
    }
  }
}

// The parts and parity that this rank provides, opened on first use.
class Sources {
 public:
  Sources(const std::vector<Left>& groups, const std::map<std::uint64_t, NodePart>& parts,
          const std::vector<NodePart>& parity)
      : groups_(groups), parts_(parts), parity_(parity) {}

  void append(std::size_t group, const Addend& addend, std::uint64_t offset, std::uint64_t bytes,
              std::vector<std::byte>& message) {
    const Left& left = groups_[group];
    std::unique_ptr<PartReader>& reader = readers_[{group, addend.from, addend.is_parity}];
    if (!reader) reader = opened(left, addend);
    const ParityCode code = left.code();
    const std::uint64_t number = addend.is_parity ? code.parity_of(addend.stripe, addend.from)
                                                  : code.chunk_in(addend.stripe, addend.from).value();
    reader->append(number * left.group.chunk_bytes + offset, bytes, message);
  }

 private:
  std::unique_ptr<PartReader> opened(const Left& left, const Addend& addend) const {
    if (addend.is_parity) {
      const NodePart& part = *parity_of(parity_, left, addend.from);
      return std::make_unique<PartReader>(part, part.manifest.files);
    }
    const ParityMember& member = left.group.members[addend.from];
    return std::make_unique<PartReader>(parts_.at(static_cast<std::uint64_t>(member.rank)), member.files);
  }

  const std::vector<Left>& groups_;
  const std::map<std::uint64_t, NodePart>& parts_;
  const std::vector<NodePart>& parity_;
  std::map<std::tuple<std::size_t, std::uint32_t, bool>, std::unique_ptr<PartReader>> readers_;
};

// The lost part of this rank.
class RestoredPart {
 public:
  RestoredPart(const Left& left, const Restoration& how, const CheckpointDirectory& into)
      : left_(left),
        how_(how),
        sums_(left.code().chunks()),
        part_(into, left.group.step, left.group.members[how.member].files) {
    for (const Addend& one : how.addends) factors_.push_back(tables_of(one.factor));
  }

  void take(std::uint64_t offset, std::uint64_t bytes, const std::vector<comm::Message>& arrived) {
    sums_.clear(bytes);
    for (const comm::Message& message : arrived) {
      for_each_piece(message.bytes, [&](std::uint64_t number, base::Bytes piece) {
        const auto one = static_cast<std::size_t>(number);
        sums_.add(how_.addends.at(one).chunk, factors_[one], piece);
      });
    }
    for (std::uint32_t chunk = 0; chunk < left_.code().chunks(); ++chunk) {
      part_.write(chunk * left_.group.chunk_bytes + offset, sums_.sum(chunk));
    }
  }
  std::string publish() { return part_.publish(); }

 private:
  const Left& left_;
  const Restoration& how_;
  Accumulator sums_;
  std::vector<kernels::ProductTables> factors_;
  PartWriter part_;
};

}  // namespace

std::vector<std::vector<int>> form_parity_groups(std::span<const std::int32_t> node_of_rank, int nodes) {
  std::map<std::int32_t, std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    ranks_of[node_of_rank[rank]].push_back(static_cast<int>(rank));
  }
  std::vector<std::vector<int>> on_node;
  for (auto& [node, ranks] : ranks_of) on_node.push_back(std::move(ranks));
  const std::size_t count = on_node.size(), sets = std::max<std::size_t>(1, count / static_cast<std::size_t>(nodes));
  std::vector<std::vector<int>> result(node_of_rank.size());
  for (std::size_t set = 0; set < sets; ++set) {
    const std::span some =
        std::span(on_node).subspan(count * set / sets, count * (set + 1) / sets - count * set / sets);
    std::size_t fullest = 0;
    for (const std::vector<int>& ranks : some) fullest = std::max(fullest, ranks.size());
    // Assigned round-robin, so that groups are equally large even if nodes are not; no group has two ranks of a node.
    std::vector<std::vector<int>> groups(fullest);
    std::size_t next = 0;
    for (const std::vector<int>& ranks : some) {
      for (const int rank : ranks) groups[next++ % fullest].push_back(rank);
    }
    for (std::vector<int>& group : groups) {
      if (group.size() < 2) continue;
      std::ranges::sort(group);
      for (const int rank : group) result[static_cast<std::size_t>(rank)] = group;
    }
  }
  return result;
}

std::vector<int> form_parity_group(comm::Comm& comm, int nodes) {
  const comm::Node& node = comm.node();
  if (node.is_only()) return {};
  return comm::agree(comm, [&] {
    std::exception_ptr failure;
    std::vector<std::vector<int>> groups;  // empty after a failure
    const std::array<std::int32_t, 1> mine{node.ranks().front()};
    std::vector<std::vector<std::byte>> gathered;
    comm::take_part(failure, [&] { gathered = comm.gather(std::as_bytes(std::span(mine)), 0); });
    base::keep_failure(failure, [&] {
      std::vector<std::int32_t> node_of_rank;
      for (const std::vector<std::byte>& bytes : gathered) {
        node_of_rank.push_back(comm::from_bytes<std::int32_t>(bytes));
      }
      if (comm.rank() == 0) groups = form_parity_groups(node_of_rank, nodes);
    });
    std::vector<std::byte> bytes;
    comm::take_part(failure, [&] {
      bytes = comm.scatter_parts(
          [&](int rank) {
            if (groups.empty()) return std::vector<std::byte>();
            const auto all = std::as_bytes(std::span(groups[static_cast<std::size_t>(rank)]));
            return std::vector<std::byte>(all.begin(), all.end());
          },
          0);
    });
    if (failure) std::rethrow_exception(failure);
    return comm::take_all<int>(base::Bytes(bytes));
  });
}

std::uint32_t write_parity(comm::Comm& comm, std::span<const int> group, std::uint32_t restorable, const NodePart& part,
                           const CheckpointDirectory& into) {
  std::vector<ParityMember> members = gather_members(comm, group, part);
  std::optional<ParityWriter> writer;
  std::uint64_t rounds = 0;
  const auto most = group.empty() ? 0 : std::min(restorable, static_cast<std::uint32_t>(group.size()) - 1);
  comm::agree(comm, [&] {
    if (most == 0) return;
    const auto member = static_cast<std::uint32_t>(std::ranges::find(group, comm.rank()) - group.begin());
    writer.emplace(std::move(members), member, most, part, into);
    rounds = writer->rounds();
  });
  comm.all_reduce({&rounds, 1}, comm::Reduce::max);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    comm::exchange_messages(
        comm, [&] { return writer ? writer->pieces(round) : std::vector<comm::Message>(); },
        [&](const std::vector<comm::Message>& arrived) {
          if (writer) writer->take(round, arrived);
        });
  }
  comm::agree(comm, [&] {
    if (writer) writer->publish();
  });
  return most;
}

std::string restore_parts(comm::Comm& comm, std::span<const std::uint64_t> lost,
                          const std::map<std::uint64_t, NodePart>& parts, const std::vector<NodePart>& parity,
                          const CheckpointDirectory& into) {
  std::vector<Left> groups = find_groups(comm, lost, parity);
  find_givers(comm, groups, parts, parity);
  std::vector<Restoration> restorations;
  std::optional<RestoredPart> mine;
  const Restoration* own = nullptr;
  Sources sources(groups, parts, parity);
  std::uint64_t at_a_time = 1, rounds = 0;
  comm::agree(comm, [&] {
    restorations = plan_restorations(groups, lost);
    std::uint64_t most_messages = 1, longest = 0;
    for (const Restoration& one : restorations) {
      most_messages = std::max<std::uint64_t>(most_messages, one.addends.size());
      longest = std::max(longest, groups[one.group].group.chunk_bytes);
      if (one.rank == comm.rank()) own = &one;
    }
    at_a_time = bytes_at_a_time(16 * base::mebi, most_messages);
    rounds = (longest + at_a_time - 1) / at_a_time;
    if (own != nullptr) mine.emplace(groups[own->group], *own, into);
  });
  const auto bytes_from = [&](const Restoration& one, std::uint64_t offset) {
    const std::uint64_t all = groups[one.group].group.chunk_bytes;
    return std::min(at_a_time, all - std::min(all, offset));
  };
  for (std::uint64_t offset = 0; offset < rounds * at_a_time; offset += at_a_time) {
    const auto pieces = [&] {
      Outbox outbox;
      for (const Restoration& one : restorations) {
        const Left& left = groups[one.group];
        for (std::size_t number = 0; number < one.addends.size(); ++number) {
          const Addend& addend = one.addends[number];
          const auto& givers = addend.is_parity ? left.parities : left.parts;
          if (givers[addend.from] != static_cast<std::uint64_t>(comm.rank()) || bytes_from(one, offset) == 0) continue;
          outbox.add(one.rank, number, [&](std::vector<std::byte>& message) {
            sources.append(one.group, addend, offset, bytes_from(one, offset), message);
          });
        }
      }
      return outbox.take();
    };
    comm::exchange_messages(comm, pieces, [&](const std::vector<comm::Message>& arrived) {
      if (mine) mine->take(offset, bytes_from(*own, offset), arrived);
    });
  }
  return comm::agree(comm, [&] { return mine ? mine->publish() : std::string(); });
}

}  // namespace lq::sets
