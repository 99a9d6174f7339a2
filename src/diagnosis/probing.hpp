// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a group of ranks asks one question: files with names of their own that go away again, one answer for all ranks.
#pragma once

#include <limequat/survey.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/agree.hpp"
#include "comm/comm.hpp"
#include "storage/transport.hpp"

namespace lq::diagnosis {

// Names for files in a folder that no other program has; the root removes those files at the end, also after errors.
class Scratch {
 public:
  // Collective.
  Scratch(comm::Comm& comm, storage::Transport& transport, const std::string& folder);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Local, in the same order on all ranks.
  std::string file(const std::string& purpose);
  storage::Transport& transport() const noexcept { return transport_; }

 private:
  comm::Comm& comm_;
  storage::Transport& transport_;
  std::string prefix_;
  std::vector<std::unique_ptr<ProbeFile>> files_;
};

// Local. `work` gives the answer; an Error is a failure whose sentence is what was found.
Probe answer(const std::string& name, const std::string& action, const std::function<Probe()>& work);

// Local. Of a question for which there was no time.
Probe not_asked(const std::string& name, double seconds);

// Collective. The worst of the ranks' answers, of these that of the lowest rank, on all ranks.
Probe worst_over_ranks(comm::Comm& comm, const Probe& mine);

// Collective. `work` is collective itself: its errors are agreed upon, its answers may differ.
Probe ask(comm::Comm& comm, const std::string& name, const std::string& action, const std::function<Probe()>& work);

}  // namespace lq::diagnosis
