// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What one node knows, on all nodes.
#pragma once

#include <span>
#include <string>

#include "comm/agree.hpp"

namespace lq::compat::qio {

// Collective. Facts are numbers.
template <class Facts>
void broadcast_facts(comm::Comm& comm, Facts& facts, int from) {
  comm.broadcast(std::as_writable_bytes(std::span(&facts, 1)), from);
}

// Collective. The master's text on all nodes.
inline void broadcast_text(comm::Comm& comm, std::string& text, int from) {
  std::uint64_t bytes = text.size();
  broadcast_facts(comm, bytes, from);
  comm::agree(comm, [&] { text.resize(static_cast<std::size_t>(bytes)); });
  comm.broadcast(std::as_writable_bytes(std::span(text)), from);
}

}  // namespace lq::compat::qio
