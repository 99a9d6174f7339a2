// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// TCP between rank 0 and another rank, without MPI: what the network of the nodes' names gives a file server, for
// example. Between ranks of one node it is the loopback.
#include "diagnosis/parts.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"

namespace lq::diagnosis {
namespace {

using base::mebi;

constexpr int patience = 3000;  // milliseconds: of connecting, and of a transfer that does not move

class Socket {
 public:
  explicit Socket(int file = -1) noexcept : file_(file) {}
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~Socket() {
    if (file_ >= 0) ::close(file_);
  }
  int file() const noexcept { return file_; }
  explicit operator bool() const noexcept { return file_ >= 0; }

 private:
  int file_;
};

bool is_ready(int file, short events) noexcept {
  pollfd waiting{file, events, 0};
  return ::poll(&waiting, 1, patience) == 1 && (waiting.revents & (events | POLLHUP | POLLERR)) != 0;
}

// Where rank 0 listens, and a number by which the ranks know each other.
struct Address {
  std::uint32_t node = 0;  // in network order; 0: it cannot be reached
  std::uint16_t port = 0;
  std::uint64_t token = 0;
};

// The address of this node by its name; 0 if it has none that others can use.
std::uint32_t address_of_node() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) return 0;
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.data(), nullptr, &hints, &found) != 0) return 0;
  std::uint32_t address = 0;
  for (const addrinfo* one = found; one != nullptr && address == 0; one = one->ai_next) {
    sockaddr_in place{};
    std::memcpy(&place, one->ai_addr, sizeof place);
    if ((ntohl(place.sin_addr.s_addr) >> 24) != 127) address = place.sin_addr.s_addr;
  }
  ::freeaddrinfo(found);
  return address;
}

sockaddr_in internet(std::uint32_t node, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = node;
  address.sin_port = port;
  return address;
}

Socket listening(Address& address, bool is_local) {
  address.node = is_local ? htonl(INADDR_LOOPBACK) : address_of_node();
  address.token = std::random_device()() * std::uint64_t{0x100000001} + 1;
  sockaddr_in place = internet(is_local ? address.node : htonl(INADDR_ANY), 0);
  auto* const generic = reinterpret_cast<sockaddr*>(&place);
  socklen_t size = sizeof place;
  Socket socket(::socket(AF_INET, SOCK_STREAM, 0));
  const bool listens = socket && address.node != 0 && ::bind(socket.file(), generic, size) == 0 &&
                       ::listen(socket.file(), 1) == 0 && ::getsockname(socket.file(), generic, &size) == 0;
  address.port = place.sin_port;
  if (!listens) address.node = 0;
  return socket;
}

// Bytes in both directions at once, as far as there are any. False: the connection is lost.
bool transfer(int file, std::span<const std::byte> out, std::span<std::byte> in) noexcept {
  while (!out.empty() || !in.empty()) {
    const short events = static_cast<short>((out.empty() ? 0 : POLLOUT) | (in.empty() ? 0 : POLLIN));
    if (!is_ready(file, events)) return false;
    if (!out.empty()) {
      const ssize_t put = ::send(file, out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (put < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (put > 0) out = out.subspan(static_cast<std::size_t>(put));
    }
    if (!in.empty()) {
      const ssize_t got = ::recv(file, in.data(), in.size(), MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
      if (got > 0) in = in.subspan(static_cast<std::size_t>(got));
    }
  }
  return true;
}

Socket accepted(const Socket& listener, std::uint64_t token) {
  if (!listener || !is_ready(listener.file(), POLLIN)) return Socket();
  Socket socket(::accept(listener.file(), nullptr, nullptr));
  std::uint64_t theirs = 0;
  if (!socket || !transfer(socket.file(), {}, std::as_writable_bytes(std::span(&theirs, 1))) || theirs != token) {
    return Socket();
  }
  return socket;
}

Socket connected(const Address& address) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
  const sockaddr_in place = internet(address.node, address.port);
  if (!socket) return socket;
  if (::connect(socket.file(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 && errno != EINPROGRESS) {
    return Socket();
  }
  if (!transfer(socket.file(), std::as_bytes(std::span(&address.token, 1)), {})) return Socket();
  return socket;
}

class Connection {
 public:
  Connection(comm::Comm& comm, int partner) : comm_(comm) {
    memory_ = comm::agree(comm, [] { return std::vector<std::byte>(2 * mebi, std::byte{1}); });
    Address address;
    Socket listener;
    const bool is_local = comm.node().largest() > 1 && comm.node().index_of(partner).has_value();
    if (comm.rank() == 0) listener = listening(address, is_local);
    comm.broadcast(std::as_writable_bytes(std::span(&address, 1)), 0);
    if (address.node == 0) return;
    if (comm.rank() == 0) socket_ = accepted(listener, address.token);
    if (comm.rank() == partner) socket_ = connected(address);
    if (socket_) {
      const int yes = 1;
      ::setsockopt(socket_.file(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    std::array<std::uint64_t, 1> ends{socket_ ? std::uint64_t{1} : 0};
    comm.all_reduce(ends, comm::Reduce::sum);
    is_open_ = ends[0] == 2;
  }

  bool is_open() const noexcept { return is_open_; }

  double ping_pong(std::uint64_t bytes, std::uint64_t trips) {
    const bool is_first = comm_.rank() == 0;
    return timed([&](std::span<const std::byte> out, std::span<std::byte> in) {
      bool is_fine = true;
      for (std::uint64_t i = 0; i < trips && is_fine; ++i) {
        is_fine = is_first
                      ? transfer(socket_.file(), out.first(bytes), {}) && transfer(socket_.file(), {}, in.first(bytes))
                      : transfer(socket_.file(), {}, in.first(bytes)) && transfer(socket_.file(), out.first(bytes), {});
      }
      return is_fine;
    });
  }

  double both_ways(std::uint64_t bytes, std::uint64_t times) {
    return timed([&](std::span<const std::byte> out, std::span<std::byte> in) {
      bool is_fine = true;
      for (std::uint64_t i = 0; i < times && is_fine; ++i)
        is_fine = transfer(socket_.file(), out.first(bytes), in.first(bytes));
      return is_fine;
    });
  }

 private:
  template <class Work>
  double timed(const Work& work) {
    return comm::agree(comm_, [&] {
      if (!socket_) return 0.0;
      const base::Stopwatch watch;
      if (!work(std::span<const std::byte>(memory_).first(mebi), std::span(memory_).subspan(mebi))) {
        throw Error(Code::io, "a TCP connection between two ranks was lost while it was measured");
      }
      return watch.seconds();
    });
  }

  comm::Comm& comm_;
  Socket socket_;
  std::vector<std::byte> memory_;
  bool is_open_ = false;
};

}  // namespace

std::vector<Measurement> tcp_parts(comm::Comm& comm, int partner) {
  const auto connection = std::make_shared<Connection>(comm, partner);
  if (!connection->is_open()) return {};
  return {{"TCP, 8 B", 8 * 2 * 32, 2 * 32, 2, [=] { return connection->ping_pong(8, 32); }},
          {"TCP, 64 KiB", 16 * (mebi / 16), 16, 2, [=] { return connection->ping_pong(mebi / 16, 8); }},
          {"TCP, 1 MiB", 8 * mebi, 8, 2, [=] { return connection->ping_pong(mebi, 4); }},
          {"TCP, 1 MiB, both ways", 8 * mebi, 4, 2, [=] { return connection->both_ways(mebi, 4); }}};
}

}  // namespace lq::diagnosis
