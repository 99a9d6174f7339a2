// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What every implementation of Comm must answer alike. Each question is asked of one rank of a group of any
// size, by all its ranks together; failures are reported through GoogleTest on the rank that sees them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "comm/comm.hpp"
#include "comm/tree.hpp"

namespace lq::testing {

struct CommQuestion {
  const char* name;
  void (*ask)(comm::Comm& comm);
};

namespace comm_questions {

// Bytes that tell who wrote them for whom; their number differs between pairs and is 0 for some.
inline std::vector<std::byte> letter(int from, int to) {
  return std::vector<std::byte>(static_cast<std::size_t>((from * 7 + to * 3) % 11),
                                static_cast<std::byte>(from * 16 + to));
}

inline std::uint64_t reduced(comm::Comm& comm, std::uint64_t mine, comm::Reduce operation) {
  std::array<std::uint64_t, 1> value{mine};
  comm.all_reduce(value, operation);
  return value[0];
}

inline void ranks_count_from_zero(comm::Comm& comm) {
  ASSERT_GE(comm.rank(), 0);
  ASSERT_LT(comm.rank(), comm.size());
  const auto size = static_cast<std::uint64_t>(comm.size());
  EXPECT_EQ(reduced(comm, static_cast<std::uint64_t>(comm.rank()), comm::Reduce::sum), size * (size - 1) / 2);
}

inline void broadcast_brings_the_bytes_of_any_root(comm::Comm& comm) {
  for (int root = 0; root < comm.size(); ++root) {
    std::vector<std::byte> data(1000, static_cast<std::byte>(comm.rank()));
    comm.broadcast(data, root);
    EXPECT_EQ(data, std::vector<std::byte>(1000, static_cast<std::byte>(root)));
  }
}

inline void broadcast_of_nothing_is_allowed(comm::Comm& comm) {
  comm.broadcast({}, comm.size() - 1);
  comm.all_reduce({}, comm::Reduce::sum);
  comm.barrier();
}

inline void sums_are_modulo_two_to_the_64(comm::Comm& comm) {
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();  // -1
  EXPECT_EQ(reduced(comm, largest, comm::Reduce::sum), std::uint64_t{0} - static_cast<std::uint64_t>(comm.size()));
}

inline void minimum_and_maximum_are_unsigned(comm::Comm& comm) {
  const std::uint64_t high = std::uint64_t{1} << 63;
  const auto mine = high + static_cast<std::uint64_t>(comm.rank());
  EXPECT_EQ(reduced(comm, mine, comm::Reduce::min), high);
  EXPECT_EQ(reduced(comm, mine, comm::Reduce::max), high + static_cast<std::uint64_t>(comm.size() - 1));
  EXPECT_EQ(reduced(comm, comm.rank() == 0 ? 1 : high, comm::Reduce::min), 1u);
}

inline void bits_are_combined_one_by_one(comm::Comm& comm) {
  std::array<std::uint64_t, 2> values{std::uint64_t{1} << (comm.rank() % 64), 0xff00ff00ff00ff00};
  std::array<std::uint64_t, 2> same = values;
  std::uint64_t all = 0;
  for (int r = 0; r < comm.size(); ++r) all |= std::uint64_t{1} << (r % 64);
  comm.all_reduce(values, comm::Reduce::bit_or);
  EXPECT_EQ(values, (std::array<std::uint64_t, 2>{all, 0xff00ff00ff00ff00}));
  comm.all_reduce(same, comm::Reduce::bit_xor);
  EXPECT_EQ(same[1], comm.size() % 2 == 0 ? 0 : 0xff00ff00ff00ff00);
}

// Terms of all operations in one message, more of them than a group may send at once.
inline void terms_are_combined_each_by_its_own_operation(comm::Comm& comm) {
  const auto rank = static_cast<std::uint64_t>(comm.rank()), size = static_cast<std::uint64_t>(comm.size());
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  std::vector<comm::Term> terms;
  for (std::uint64_t k = 0; k < 300; ++k) {
    terms.push_back({high + rank + k, comm::Reduce::min});
    terms.push_back({high + rank + k, comm::Reduce::max});
    terms.push_back({high + k, comm::Reduce::sum});
    terms.push_back({k, comm::Reduce::bit_xor});
    terms.push_back({std::uint64_t{1} << (rank % 64), comm::Reduce::bit_or});
  }
  comm.combine(terms);
  std::uint64_t all = 0;
  for (std::uint64_t r = 0; r < size; ++r) all |= std::uint64_t{1} << (r % 64);
  for (std::uint64_t k = 0; k < 300; ++k) {
    const comm::Term* const five = terms.data() + 5 * k;
    EXPECT_EQ(five[0].value, high + k);
    EXPECT_EQ(five[1].value, high + size - 1 + k);
    EXPECT_EQ(five[2].value, size * (high + k));
    EXPECT_EQ(five[3].value, size % 2 == 0 ? 0 : k);
    EXPECT_EQ(five[4].value, all);
  }
}

inline void gather_keeps_sizes_and_rank_order(comm::Comm& comm) {
  for (int root = 0; root < comm.size(); ++root) {
    const auto parts = comm.gather(letter(comm.rank(), root), root);
    ASSERT_EQ(parts.size(), comm.rank() == root ? static_cast<std::size_t>(comm.size()) : 0u);
    for (std::size_t r = 0; r < parts.size(); ++r) EXPECT_EQ(parts[r], letter(static_cast<int>(r), root));
  }
}

inline void scatter_hands_each_rank_its_part(comm::Comm& comm) {
  for (int root = 0; root < comm.size(); ++root) {
    std::vector<std::vector<std::byte>> parts;
    for (int r = 0; comm.rank() == root && r < comm.size(); ++r) parts.push_back(letter(root, r));
    EXPECT_EQ(comm.scatter(parts, root), letter(root, comm.rank()));
  }
}

// `sends(from, to)` says who writes to whom.
template <class Sends>
void exchange_letters(comm::Comm& comm, Sends sends) {
  std::vector<comm::Message> outgoing;
  for (int to = comm.size(); to-- > 0;) {  // in any order
    if (sends(comm.rank(), to)) outgoing.push_back({to, letter(comm.rank(), to)});
  }
  const std::vector<comm::Message> incoming = comm.all_to_all(std::move(outgoing));
  std::size_t next = 0;
  for (int from = 0; from < comm.size(); ++from) {
    if (!sends(from, comm.rank())) continue;
    ASSERT_LT(next, incoming.size());
    EXPECT_EQ(incoming[next].rank, from);
    EXPECT_EQ(incoming[next].bytes, letter(from, comm.rank()));
    ++next;
  }
  EXPECT_EQ(next, incoming.size());
}

inline void all_to_all_delivers_by_sender(comm::Comm& comm) {
  exchange_letters(comm, [](int, int) { return true; });
}
inline void all_to_all_delivers_only_what_was_sent(comm::Comm& comm) {
  exchange_letters(comm, [](int from, int to) { return (from + 2 * to) % 3 == 0; });
  exchange_letters(comm, [](int from, int) { return from == 0; });
  exchange_letters(comm, [](int, int) { return false; });
}
inline void exchanges_in_a_row_do_not_mix(comm::Comm& comm) {
  for (int round = 0; round < 20; ++round) {
    exchange_letters(comm, [round](int from, int to) { return (from * round + to) % 2 == 0; });
  }
}

inline void split_groups_by_colour_and_orders_by_key(comm::Comm& comm) {
  const int colour = comm.rank() % 2;
  const auto group = comm.split(colour, -comm.rank());
  ASSERT_NE(group, nullptr);
  const int size = (comm.size() + 1 - colour) / 2;
  EXPECT_EQ(group->size(), size);
  EXPECT_EQ(group->rank(), size - 1 - comm.rank() / 2);
  std::vector<std::byte> data{static_cast<std::byte>(comm.rank())};
  group->broadcast(data, 0);
  EXPECT_EQ(static_cast<int>(data[0]), 2 * (size - 1) + colour);
}

inline void equal_keys_keep_the_order_of_ranks(comm::Comm& comm) {
  const auto group = comm.split(7, 0);
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->rank(), comm.rank());
  EXPECT_EQ(group->size(), comm.size());
}

inline void negative_colour_is_in_no_group(comm::Comm& comm) {
  const auto group = comm.split(comm.rank() == 0 ? 3 : -1, 0);
  ASSERT_EQ(group != nullptr, comm.rank() == 0);
  EXPECT_EQ(group ? group->size() : 1, 1);
}

// A ring of messages on two channels, received in the other order of channels than they were sent.
inline void messages_in_flight_keep_order_and_channel(comm::Comm& comm) {
  if (comm.size() == 1) return;
  const int next = (comm.rank() + 1) % comm.size(), previous = (comm.rank() + comm.size() - 1) % comm.size();
  constexpr int count = 3;
  std::array<std::vector<std::byte>, 2 * count> out, in;
  std::vector<comm::Flight> flights;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = letter(comm.rank(), static_cast<int>(i));
    flights.push_back(comm.start_send(out[i], next, static_cast<int>(i % 2)));
  }
  for (const std::size_t channel : {1U, 0U}) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = 2 * k + channel;
      in[i].resize(letter(previous, static_cast<int>(i)).size());
      flights.push_back(comm.start_receive(in[i], previous, static_cast<int>(channel)));
    }
  }
  while (!flights.empty()) {
    std::erase_if(flights, [](comm::Flight& flight) { return flight.is_done(); });
    std::this_thread::yield();
  }
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(in[i], letter(previous, static_cast<int>(i)));
}

// Thousands of collective operations along trees, and transfers begun and ended meanwhile, have other channels.
inline void a_message_in_flight_is_left_alone(comm::Comm& comm) {
  if (comm.size() == 1) return;
  const int next = (comm.rank() + 1) % comm.size(), previous = (comm.rank() + comm.size() - 1) % comm.size();
  const comm::Channel channel(comm);
  std::vector<std::byte> in(8), out(8, static_cast<std::byte>(comm.rank()));
  comm::Flight arriving = comm.start_receive(in, previous, channel.number());
  // More ranks than cores take long for each of them.
  const int operations = comm.size() <= 3 ? 2100 : 60;
  for (int i = 0; i < operations; ++i) {
    const comm::Channel other(comm);
    EXPECT_NE(other.number(), channel.number());
    const std::uint64_t one = 1;
    EXPECT_EQ(comm::exclusive_sums(comm, std::span(&one, 1)).total[0], static_cast<std::uint64_t>(comm.size()));
  }
  EXPECT_FALSE(arriving.is_done());
  comm.barrier();
  comm::Flight leaving = comm.start_send(out, next, channel.number());
  comm::wait(std::move(arriving));
  comm::wait(std::move(leaving));
  EXPECT_EQ(in, std::vector<std::byte>(8, static_cast<std::byte>(previous)));
}

// A number is free when the transfer is over on all ranks.
inline void channels_are_given_out_again_when_all_have_left(comm::Comm& comm) {
  const comm::Channel first(comm);
  auto late = std::make_unique<comm::Channel>(comm);
  const int number = late->number();
  EXPECT_NE(number, first.number());
  if (comm.rank() > 0) late.reset();
  EXPECT_NE(comm::Channel(comm).number(), number);
  late.reset();
  comm.barrier();
  EXPECT_EQ(comm::Channel(comm).number(), number);
}

inline void ranks_of_a_node_keep_their_order(comm::Comm& comm) {
  const auto node = comm.split_by_node();
  ASSERT_NE(node, nullptr);
  const auto parts = node->gather(std::vector<std::byte>{static_cast<std::byte>(comm.rank())}, 0);
  for (std::size_t i = 1; i < parts.size(); ++i) EXPECT_LT(parts[i - 1][0], parts[i][0]);
  EXPECT_LE(node->size(), comm.size());
}

}  // namespace comm_questions

inline std::vector<CommQuestion> all_comm_questions() {
  using namespace comm_questions;
  return {{"ranks_count_from_zero", ranks_count_from_zero},
          {"broadcast_brings_the_bytes_of_any_root", broadcast_brings_the_bytes_of_any_root},
          {"broadcast_of_nothing_is_allowed", broadcast_of_nothing_is_allowed},
          {"sums_are_modulo_two_to_the_64", sums_are_modulo_two_to_the_64},
          {"minimum_and_maximum_are_unsigned", minimum_and_maximum_are_unsigned},
          {"terms_are_combined_each_by_its_own_operation", terms_are_combined_each_by_its_own_operation},
          {"bits_are_combined_one_by_one", bits_are_combined_one_by_one},
          {"gather_keeps_sizes_and_rank_order", gather_keeps_sizes_and_rank_order},
          {"scatter_hands_each_rank_its_part", scatter_hands_each_rank_its_part},
          {"all_to_all_delivers_by_sender", all_to_all_delivers_by_sender},
          {"all_to_all_delivers_only_what_was_sent", all_to_all_delivers_only_what_was_sent},
          {"exchanges_in_a_row_do_not_mix", exchanges_in_a_row_do_not_mix},
          {"split_groups_by_colour_and_orders_by_key", split_groups_by_colour_and_orders_by_key},
          {"equal_keys_keep_the_order_of_ranks", equal_keys_keep_the_order_of_ranks},
          {"negative_colour_is_in_no_group", negative_colour_is_in_no_group},
          {"messages_in_flight_keep_order_and_channel", messages_in_flight_keep_order_and_channel},
          {"a_message_in_flight_is_left_alone", a_message_in_flight_is_left_alone},
          {"channels_are_given_out_again_when_all_have_left", channels_are_given_out_again_when_all_have_left},
          {"ranks_of_a_node_keep_their_order", ranks_of_a_node_keep_their_order}};
}

}  // namespace lq::testing
