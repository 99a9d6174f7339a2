// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A set of modes takes the place of another one, or grows, and the k-th operation fails or is the last one. Claim:
// readers see the old set or the new one as far as it had come, every mode that append() returned of is there, the next
// writer goes on, and a process that has not died leaves nothing beside the set.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <filesystem>

#include <limequat/modes.hpp>

#include "io/journal.hpp"
#include "io/verify.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/interrupted.hpp"
#include "support/scratch_directory.hpp"

namespace lq::modes {
namespace {

namespace fs = std::filesystem;
using lq::testing::error_of;
using lq::testing::Fault;

enum class Task { create_over_others, create, append, write_over_others, convert_over_others };

struct Case {
  const char* name;
  Task task;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

constexpr std::uint64_t old_modes = 3, new_modes = 2;

class FaultyModes : public ::testing::TestWithParam<Case> {
 protected:
  FaultyModes()
      : acknowledged_(static_cast<std::atomic<std::uint64_t>*>(
            ::mmap(nullptr, sizeof(*acknowledged_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    Writer writer(before_, grid_, described());
    add(writer, 0, old_modes);
  }
  ~FaultyModes() override { ::munmap(acknowledged_, sizeof(*acknowledged_)); }

  Description described() const {
    Description description;
    description.lattice = grid_.extents();
    description.room = 2;
    return description;
  }
  std::vector<double> vector_number(std::uint64_t k) const {
    std::vector<double> values = lq::testing::formula_sites<double>(grid_, 24);
    for (double& value : values) value += static_cast<double>(k);
    return values;
  }
  // Modes of the new set have eigenvalues from 100 on.
  void add(Writer& writer, std::uint64_t from, std::uint64_t to, double first = 0) const {
    for (std::uint64_t k = from; k < to; ++k) {
      const std::vector<double> values = vector_number(k);
      writer.append(spinor(values), {{first + static_cast<double>(k), 0}});
      *acknowledged_ += 1;
    }
  }

  bool has_old() const { return GetParam().task != Task::create; }
  bool is_appended_to() const { return GetParam().task == Task::append; }
  void start_anew() const {
    fs::remove_all(folder());
    fs::create_directory(folder());
    if (has_old()) fs::copy_file(before_, path_);
    *acknowledged_ = 0;
  }
  void work() const {
    std::vector<std::vector<double>> memory;
    std::vector<Field> vectors;
    std::vector<Mode> modes;
    switch (GetParam().task) {
      case Task::create_over_others:
      case Task::create: {
        Writer writer(path_, grid_, described(), {.overwrite = has_old()});
        add(writer, 0, new_modes, 100);
        return writer.close();
      }
      case Task::append: {
        Writer writer(path_, grid_);
        return add(writer, old_modes, old_modes + new_modes);
      }
      case Task::write_over_others:
        for (std::uint64_t k = 0; k < new_modes; ++k) memory.push_back(vector_number(k));
        for (std::uint64_t k = 0; k < new_modes; ++k) vectors.push_back(spinor(memory[k]));
        for (std::uint64_t k = 0; k < new_modes; ++k) modes.push_back({{100 + static_cast<double>(k), 0}});
        write(path_, grid_, described(), vectors, modes, {.overwrite = true});
        return;
      case Task::convert_over_others:
        convert(new_, path_, {}, {.overwrite = true});
        return;
    }
  }

  // How many modes there are of which set; each of them is right.
  struct Seen {
    std::uint64_t modes = 0;
    bool is_new = false;
  };
  Seen seen() const {
    if (!fs::exists(path_)) return {0, true};
    EXPECT_TRUE(io::verify(path_).ok);
    const Set set(path_);
    const bool is_new = set.size() == 0 || set.mode(0).eigenvalue.real() >= 100;
    for (std::uint64_t k = 0; k < set.size(); ++k) {
      std::vector<double> values(vector_number(0).size());
      EXPECT_EQ(set.read(k, grid_, spinor(values)).status, ChecksumStatus::ok);
      EXPECT_EQ(values, vector_number(k));
      EXPECT_EQ(set.mode(k).eigenvalue.real(), static_cast<double>(k) + (is_new ? 100 : 0));
    }
    return {set.size(), is_new};
  }
  void expect_old_or_new(bool is_done) const {
    const Seen now = seen();
    if (is_appended_to()) {
      EXPECT_GE(now.modes, old_modes + *acknowledged_);
      EXPECT_LE(now.modes, old_modes + *acknowledged_ + 1);
    } else if (!now.is_new) {
      EXPECT_EQ(now.modes, old_modes);
      EXPECT_EQ(*acknowledged_, 0U);
      EXPECT_FALSE(is_done);
    } else if (GetParam().task == Task::create_over_others || GetParam().task == Task::create) {
      EXPECT_GE(now.modes, *acknowledged_);
      EXPECT_LE(now.modes, *acknowledged_ + 1);
      if (has_old()) {
        EXPECT_GE(now.modes, 1U);
      }
    } else {
      EXPECT_EQ(now.modes, new_modes);
    }
    if (is_done) {
      EXPECT_EQ(now.modes, is_appended_to() ? old_modes + new_modes : new_modes);
    }
  }
  void expect_to_be_gone_on_with() const {
    if (!fs::exists(path_)) return;
    const Seen before = seen();
    Writer writer(path_, grid_);
    EXPECT_EQ(writer.size(), before.modes);
    add(writer, before.modes, before.modes + 1, before.is_new ? 100 : 0);
    EXPECT_EQ(seen().modes, before.modes + 1);
  }
  std::string folder() const { return directory_ / "run"; }

  lq::testing::ScratchDirectory directory_;
  const Grid grid_{Extents{2, 2, 2, 2}};
  const std::string before_ = directory_ / "before.modes", new_ = directory_ / "new.modes",
                    path_ = directory_ / "run/low.modes";
  std::atomic<std::uint64_t>* acknowledged_;
};

TEST_P(FaultyModes, EveryOperationMayFail) {
  {
    Writer writer(new_, grid_, described());
    add(writer, 0, new_modes, 100);
  }
  for (const Fault fault : {Fault::error, Fault::short_write, Fault::no_space}) {
    for (std::int64_t k = 0;; ++k) {
      SCOPED_TRACE(::testing::Message() << "operation " << k);
      ASSERT_LT(k, 500);
      start_anew();
      lq::testing::FaultyTransport faulty(storage::posix(), k, fault);
      Error error(Code::ok, "");
      {
        const storage::Mount mount(folder(), faulty);
        error = error_of([&] { work(); });
      }
      if (!faulty.has_failed()) break;
      expect_old_or_new(error.code() == Code::ok);
      if (fs::exists(path_)) io::recover(storage::posix(), path_, Sync::none, storage::WriterLock(path_));
      expect_old_or_new(error.code() == Code::ok);
      for (const std::string& file : lq::testing::files_in(folder())) EXPECT_EQ(file, "low.modes");
      expect_to_be_gone_on_with();
    }
  }
}

TEST_P(FaultyModes, EveryOperationMayBeTheLast) {
  {
    Writer writer(new_, grid_, described());
    add(writer, 0, new_modes, 100);
  }
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    ASSERT_LT(k, 500);
    start_anew();
    const bool died = lq::testing::dies_in([&] {
      lq::testing::FaultyTransport faulty(storage::posix(), k, Fault::kill);
      const storage::Mount mount(folder(), faulty);
      work();
    });
    expect_old_or_new(!died);
    if (!died) break;
    expect_to_be_gone_on_with();
  }
}

// Opened by name, and then vector by vector, by name as well, while another program puts a new set in its place: a set
// that is open is one set, and a vector is that of one set.
class ReplacedModes : public FaultyModes {};

TEST_P(ReplacedModes, AreOfOneSetWhileTheyAreRead) {
  {
    Writer writer(new_, grid_, described());
    add(writer, 0, new_modes, 100);
  }
  bool was_old = false, was_new = false;
  for (std::int64_t k = 0;; ++k) {
    SCOPED_TRACE(::testing::Message() << "operation " << k);
    ASSERT_LT(k, 500);
    start_anew();
    lq::testing::Interrupted interrupted(k, [&] {
      // Of the reader's own thread; its mount is not the writer's.
      fs::copy_file(new_, folder() + "/.other");
      fs::rename(folder() + "/.other", path_);
    });
    {
      const storage::Mount mount(folder(), interrupted);
      const Seen all = seen();
      EXPECT_EQ(all.modes, all.is_new ? new_modes : old_modes);
      (all.is_new ? was_new : was_old) = true;
      for (std::uint64_t j = 0; j < new_modes; ++j) {
        std::vector<double> values(vector_number(0).size());
        const Mode mode = read(path_, j, grid_, spinor(values));
        EXPECT_EQ(values, vector_number(j));
        EXPECT_TRUE(mode.eigenvalue.real() == static_cast<double>(j) ||
                    mode.eigenvalue.real() == 100 + static_cast<double>(j));
      }
    }
    if (!interrupted.was_interrupted()) break;
  }
  EXPECT_TRUE(was_old && was_new);
}

INSTANTIATE_TEST_SUITE_P(Modes, ReplacedModes, ::testing::Values(Case{"WrittenOverOthers", Task::write_over_others}),
                         [](const auto& param) { return std::string(param.param.name); });

INSTANTIATE_TEST_SUITE_P(Modes, FaultyModes,
                         ::testing::Values(Case{"CreatedOverOthers", Task::create_over_others},
                                           Case{"Created", Task::create}, Case{"Appended", Task::append},
                                           Case{"WrittenOverOthers", Task::write_over_others},
                                           Case{"ConvertedOverOthers", Task::convert_over_others}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace lq::modes
