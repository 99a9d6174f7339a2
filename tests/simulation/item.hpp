// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a job keeps on the machine: files that are written, replaced, gone on with and read, and a model of what must be
// there.
#pragma once

#include <memory>
#include <string>

#include "simulation/machine.hpp"

namespace lq::simulation {

class Item {
 public:
  Item() = default;
  virtual ~Item() = default;
  Item(const Item&) = delete;
  Item& operator=(const Item&) = delete;

  // Does something that is drawn, perhaps in trouble, and looks at what became of it. In words, before it begins.
  using Tell = std::function<void(const std::string& words)>;
  virtual void step(const Tell& tell) = 0;
  // The power has failed while something else was going on.
  virtual void after_power_failure() = 0;
  // Reads all there is of it on ranks of its own. Failure: it is not what it must be.
  virtual void check() = 0;
};

std::unique_ptr<Item> make_field_file(Draw& draw, Machine& machine, const std::string& path);
std::unique_ptr<Item> make_checkpoint(Draw& draw, Machine& machine, const std::string& path);
std::unique_ptr<Item> make_modes(Draw& draw, Machine& machine, const std::string& path);
std::unique_ptr<Item> make_hdf5_file(Draw& draw, Machine& machine, const std::string& path);
std::unique_ptr<Item> make_treated(Draw& draw, Machine& machine, const std::string& path);
std::unique_ptr<Item> make_checkpoints(Draw& draw, Machine& machine, const std::string& path);

}  // namespace lq::simulation
