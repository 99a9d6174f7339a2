// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement: a single reduction on success; only a failure costs more.
#include "comm/agree.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "comm/alone.hpp"
#include "comm/wire.hpp"

namespace lq::comm {
namespace {

constexpr std::uint64_t no_rank = std::numeric_limits<std::uint64_t>::max();

// The lowest rank with `raised` set, or `no_rank`.
std::uint64_t lowest_rank(Comm& comm, bool raised) {
  std::uint64_t lowest = raised ? static_cast<std::uint64_t>(comm.rank()) : no_rank;
  comm.all_reduce(std::span(&lowest, 1), Reduce::min);
  return lowest;
}

// A failure as a number; the lowest of all ranks is reported. Those of the communication come last: a message that
// cannot be understood usually comes from a rank whose own failure says why.
constexpr std::uint64_t consequence = std::uint64_t{1} << 32;

std::uint64_t number_of(Comm& comm, const std::exception_ptr& failure) {
  if (!failure) return no_rank;
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.code() == Code::communication ? consequence + rank : rank;
  } catch (...) {
    return rank;
  }
}

// Collective. True if `work` succeeds on all ranks.
template <class Work>
bool succeeds_everywhere(Comm& comm, const Work& work) {
  std::uint64_t is_done = 1;
  try {
    work();
  } catch (...) {
    is_done = 0;
  }
  comm.all_reduce(std::span(&is_done, 1), Reduce::min);
  return is_done == 1;
}

// A broadcast frame: short texts are sent together with their length.
struct Frame {
  std::uint64_t length = 0;
  std::array<std::byte, short_broadcast_bytes> begin{};
  bool is_all() const noexcept { return length <= begin.size(); }
};

Frame frame_of(base::Bytes bytes) noexcept {
  Frame frame;
  frame.length = bytes.size();
  std::ranges::copy(bytes.first(std::min(bytes.size(), frame.begin.size())), frame.begin.begin());
  return frame;
}

// Collective.
Frame broadcast_frame(Comm& comm, base::Bytes bytes, int root) {
  Frame frame = frame_of(comm.rank() == root ? bytes : base::Bytes());
  comm.broadcast(std::as_writable_bytes(std::span(&frame, 1)), root);
  return frame;
}

// Local. Allocates memory for all of the bytes, and copies those already received.
template <class Container>
void take_frame(const Frame& frame, Container& all) {
  all.resize(static_cast<std::size_t>(frame.length));
  std::ranges::copy(base::Bytes(frame.begin).first(std::min(frame.begin.size(), all.size())),
                    std::as_writable_bytes(std::span(all)).begin());
}

// Collective. Broadcasts the bytes that do not fit into the frame.
template <class Container>
void broadcast_rest(Comm& comm, base::Bytes bytes, int root, Container& all) {
  const base::MutableBytes place = std::as_writable_bytes(std::span(all)).subspan(short_broadcast_bytes);
  if (comm.rank() == root) std::ranges::copy(bytes.subspan(short_broadcast_bytes), place.begin());
  comm.broadcast(place, root);
}

// Collective. Broadcasts the root's bytes into a container of the caller; false on all ranks if one has no memory for
// them.
template <class Container>
bool broadcast_into(Comm& comm, base::Bytes bytes, int root, Container& all) {
  const Frame frame = broadcast_frame(comm, bytes, root);
  if (!succeeds_everywhere(comm, [&] { take_frame(frame, all); })) return false;
  if (!frame.is_all()) broadcast_rest(comm, bytes, root, all);
  return true;
}

std::string broadcast_text_from(Comm& comm, std::string_view text, int root) {
  std::string all;
  if (!broadcast_into(comm, base::as_bytes(text), root, all)) std::rethrow_exception(preallocated_out_of_memory());
  return all;
}

// An error that already names its rank was agreed on before and is passed on unchanged.
Error with_rank(const Error& error, int rank) {
  if (error.facts().rank) return error;
  ErrorFacts facts = error.facts();
  facts.rank = rank;
  return Error(error.code(), fmt::format("{} (rank {})", error.what(), rank), facts);
}

// FNV-1a.
class Hash {
 public:
  void add(std::string_view text) noexcept {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  void add_number(std::uint64_t number) noexcept {
    for (int shift = 0; shift < 64; shift += 8) add(static_cast<unsigned char>(number >> shift));
  }
  std::uint64_t value() const noexcept { return value_; }

 private:
  void add(unsigned char byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3; }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t hash_of(std::span<const StatedArgument> arguments) noexcept {
  Hash hash;
  for (const StatedArgument& argument : arguments) {
    hash.add_number(argument.text.size());
    hash.add(argument.text);
  }
  return hash.value();
}

// Collective. `failed`: the number of the failure to report. Its message is broadcast; if a rank has no memory for it,
// all throw that error instead.
[[noreturn]] void broadcast_failure(Comm& comm, const std::exception_ptr& failure, std::uint64_t failed) {
  const int rank = static_cast<int>(failed % consequence);
  std::vector<std::byte> words, all;
  const bool is_packed = succeeds_everywhere(comm, [&] {
    if (rank == comm.rank())
      words = pack_error(comm.size() == 1 ? error_of(failure) : with_rank(error_of(failure), rank));
  });
  if (!is_packed || !broadcast_into(comm, words, rank, all)) std::rethrow_exception(preallocated_out_of_memory());
  std::exception_ptr error;
  const bool is_known = succeeds_everywhere(comm, [&] {
    try {
      throw unpack_error(all);
    } catch (const Error&) {
      error = std::current_exception();
    }
  });
  std::rethrow_exception(is_known ? error : preallocated_out_of_memory());
}

// Collective, called when hashes differ. Every rank gets the same texts, so each can report the difference.
void require_same_text(Comm& comm, std::string_view text, std::string_view what) {
  const std::string first = broadcast_text_from(comm, text, 0);
  const std::uint64_t different = lowest_rank(comm, first != text);
  if (different == no_rank) return;
  const int rank = static_cast<int>(different);
  const std::string other = broadcast_text_from(comm, text, rank);
  agree_alike(comm, [&] {
    const std::string expected = base::printable(first, 200), found = base::printable(other, 200);
    base::fail(Code::ranks_disagree, {.rank = rank, .expected = expected, .found = found},
               "{} differs between ranks: rank {} has \"{}\", rank 0 has \"{}\"; pass the same on all ranks", what,
               rank, found, expected);
  });
}

// Collective. A single reduction on success.
template <class CompareTexts>
void settle(Comm& comm, const std::exception_ptr& failure, std::uint64_t hash, const CompareTexts& compare_texts) {
  std::array<std::uint64_t, 3> lowest{number_of(comm, failure), hash, ~hash};
  comm.all_reduce(lowest, Reduce::min);
  if (lowest[0] != no_rank) broadcast_failure(comm, failure, lowest[0]);
  if (lowest[1] != ~lowest[2]) compare_texts();
}

}  // namespace

void throw_out_of_memory() { std::rethrow_exception(preallocated_out_of_memory()); }

void agree_on_success(Comm& comm, std::exception_ptr failure) {
  std::uint64_t failed = number_of(comm, failure);
  comm.all_reduce(std::span(&failed, 1), Reduce::min);
  if (failed != no_rank) broadcast_failure(comm, failure, failed);
}

void agree_on_success(Comm& comm, std::exception_ptr failure, std::span<Term> terms) {
  terms.front() = {number_of(comm, failure), Reduce::min};
  comm.combine(terms);
  if (terms.front().value != no_rank) broadcast_failure(comm, failure, terms.front().value);
}

void throw_failure_of_root(Comm& comm, const std::exception_ptr& failure) { broadcast_failure(comm, failure, 0); }

FromRoot bytes_from_root(Comm& comm, base::FunctionRef<std::vector<std::byte>()> make) {
  std::exception_ptr failure;
  std::vector<std::byte> made;
  if (comm.rank() == 0) base::keep_failure(failure, [&] { made = make(); });
  FromRoot sent;
  Frame frame = frame_of(made);
  if (failure) frame.length = no_rank;
  comm.broadcast(std::as_writable_bytes(std::span(&frame, 1)), 0);
  if (frame.length == no_rank) broadcast_failure(comm, failure, 0);
  sent.length_ = frame.length;
  if (frame.is_all()) {
    sent.begin_ = frame.begin;
    return sent;
  }
  if (!succeeds_everywhere(comm, [&] { take_frame(frame, sent.all_); }))
    std::rethrow_exception(preallocated_out_of_memory());
  broadcast_rest(comm, made, 0, sent.all_);
  return sent;
}

void agree_on_memory(Comm& comm, const std::exception_ptr& failure) {
  std::array<Term, 1> terms{};
  agree_on_memory(comm, failure, terms);
}

void agree_on_memory(Comm& comm, const std::exception_ptr& failure, std::span<Term> terms) {
  terms.front() = {is_lack_of_memory(failure) ? 1U : 0U, Reduce::max};
  comm.combine(terms);
  if (terms.front().value == 1) std::rethrow_exception(preallocated_out_of_memory());
  if (failure) std::rethrow_exception(failure);
}

void agree_on_success(Comm& comm, std::exception_ptr failure, std::span<const StatedArgument> arguments) {
  settle(comm, failure, hash_of(arguments), [&] {
    for (const StatedArgument& argument : arguments) require_same_text(comm, argument.text, argument.what);
  });
}

void agree_on_same(Comm& comm, const std::exception_ptr& failure, std::span<const StatedArgument> arguments) {
  const bool is_alike = !arguments.empty() && !is_lack_of_memory(failure);
  agree_on_success(comm, is_alike ? nullptr : failure, arguments);
  if (failure) std::rethrow_exception(failure);
}

void require_same(Comm& comm, std::string_view text, std::string_view what) {
  Hash hash;
  hash.add(text);
  settle(comm, nullptr, hash.value(), [&] { require_same_text(comm, text, what); });
}

std::string broadcast_text(Comm& comm, std::string_view text) { return broadcast_text_from(comm, text, 0); }

std::vector<std::byte> broadcast_bytes(Comm& comm, base::Bytes bytes) {
  const Frame frame = broadcast_frame(comm, bytes, 0);
  std::vector<std::byte> all;
  if (frame.is_all()) {
    take_frame(frame, all);
  } else if (succeeds_everywhere(comm, [&] { take_frame(frame, all); })) {
    broadcast_rest(comm, bytes, 0, all);
  } else {
    std::rethrow_exception(preallocated_out_of_memory());
  }
  return all;
}

void max_over_ranks(Comm& comm, std::span<double> values) {
  // Maps doubles to unsigned integers of the same order: negative ones reversed, positive ones above them.
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  std::array<std::uint64_t, 8> keys;
  for (; !values.empty(); values = values.subspan(std::min(values.size(), keys.size()))) {
    const auto some = std::span(keys).first(std::min(values.size(), keys.size()));
    std::ranges::transform(values.first(some.size()), some.begin(), [](double value) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      return (bits & sign) != 0 ? ~bits : bits | sign;
    });
    comm.all_reduce(some, Reduce::max);
    std::ranges::transform(some, values.begin(), [](std::uint64_t key) {
      return std::bit_cast<double>((key & sign) != 0 ? key & ~sign : ~key);
    });
  }
}

double max_over_ranks(Comm& comm, double value) {
  max_over_ranks(comm, std::span(&value, 1));
  return value;
}

}  // namespace lq::comm
