// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that appends to an HDF5 file is killed at any moment, LQ_KILLS times (default 20). Claim: every object
// whose flush had returned is there, with its right numbers, before and after `lq repair`, for our reader, for the HDF5
// library alone, and for h5py where LQ_H5PY names a Python that has it; no other object is wrong.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <fmt/format.h>

#include <limequat/limequat.hpp>

#include "io/journal.hpp"
#include "support/error_of.hpp"
#include "support/formula_field.hpp"
#include "support/scratch_directory.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;

constexpr int most_objects = 40;
const Extents lattice{4, 2, 2, 4};

// Every fifth object is a lattice field.
bool is_field(int number) { return number % 5 == 4; }
std::string name_of(int number) { return fmt::format("/group{}/object{}", number % 3, number); }

std::vector<double> numbers_of(int number) {
  std::vector<double> numbers(static_cast<std::size_t>(1 + (number * 7919) % 3000));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number + static_cast<double>(i) / 1024;
  return numbers;
}

std::vector<double> field_of(int number) {
  std::vector<double> values = testing::formula_sites<double>(Grid(lattice), 24);
  for (double& value : values) value += number;
  return values;
}

struct Diary {
  std::atomic<int> kept{0};  // objects whose flush has returned
};

class KilledAppend : public ::testing::Test {
 protected:
  KilledAppend()
      : diary_(static_cast<Diary*>(
            ::mmap(nullptr, sizeof(Diary), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~KilledAppend() override { ::munmap(diary_, sizeof(Diary)); }

  static int kills() {
    const char* text = std::getenv("LQ_KILLS");
    return text != nullptr ? std::atoi(text) : 20;
  }

  // The child.
  [[noreturn]] void live(int first, Sync sync) {
    hdf5::File file(path_, hdf5::Mode::append, {}, {.sync = sync});
    const Grid grid(lattice);
    for (int number = first; number < most_objects; ++number) {
      if (is_field(number)) {
        file.write(name_of(number), grid, spinor(field_of(number)), {.overwrite = true});
      } else {
        file.write(name_of(number), numbers_of(number), true);
        file.set_attribute(name_of(number), "number", number);
      }
      file.set_attribute("/", "last", number);
      file.flush();
      diary_->kept = number + 1;
    }
    ::_exit(0);
  }

  void kill_after(std::chrono::microseconds time, int first, Sync sync) {
    const pid_t child = ::fork();
    if (child == 0) live(first, sync);
    ::usleep(static_cast<useconds_t>(time.count()));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
  }

  // As our reader sees the file. How many there are.
  int sound_for_us() const {
    hdf5::File file(path_);
    const Grid grid(lattice);
    int there = 0;
    while (file.exists(name_of(there))) {
      if (is_field(there)) {
        std::vector<double> values(field_of(there).size());
        EXPECT_EQ(file.read(name_of(there), grid, spinor(values)).status, ChecksumStatus::ok) << there;
        EXPECT_EQ(values, field_of(there)) << there;
      } else {
        EXPECT_EQ(file.read(name_of(there)).reals(), numbers_of(there)) << there;
      }
      ++there;
    }
    EXPECT_FALSE(file.exists(name_of(there + 1)));
    return there;
  }

  void expect_sound_for_the_library(int objects) const {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0);
    for (int number = 0; number < objects; ++number) {
      const std::vector<double> expected = is_field(number) ? field_of(number) : numbers_of(number);
      const hid_t dataset = H5Dopen2(file, name_of(number).c_str(), H5P_DEFAULT);
      ASSERT_GE(dataset, 0) << number;
      std::vector<double> values(expected.size());
      // Of a field the complex numbers as they lie there.
      const hid_t type = is_field(number) ? H5Dget_type(dataset) : H5Tcopy(H5T_NATIVE_DOUBLE);
      EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << number;
      EXPECT_EQ(values, expected) << number;
      H5Tclose(type);
      H5Dclose(dataset);
    }
    H5Fclose(file);
  }

  void expect_sound_for_h5py(int objects) const {
    const char* python = std::getenv("LQ_H5PY");
    if (python == nullptr || *python == '\0') return;
    const std::string script =
        "import h5py, numpy as np\n"
        "f = h5py.File('" +
        path_ +
        "', 'r')\n"
        "for n in range(" +
        std::to_string(objects) +
        "):\n"
        "    x = f[f'/group{n % 3}/object{n}'][()]\n"
        "    if n % 5 != 4:\n"
        "        assert np.array_equal(x, n + np.arange(1 + (n * 7919) % 3000) / 1024), n\n"
        "    else:\n"
        "        assert x.size == 64 * 12 and x.dtype == np.complex128, n\n";
    EXPECT_EQ(std::system(fmt::format("{} -c \"{}\"", python, script).c_str()), 0);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "data.h5";
  Diary* diary_;
};

TEST_F(KilledAppend, LosesNothingThatWasFlushed) {
  std::mt19937 random(11);
  int journals = 0, applied = 0, dropped = 0;
  for (int round = 0; round < kills(); ++round) {
    SCOPED_TRACE(::testing::Message() << "kill " << round);
    const int before = diary_->kept;
    if (before >= most_objects || !fs::exists(path_)) {
      fs::remove(path_);
      fs::remove(io::journal_path(path_));
      hdf5::File(path_, hdf5::Mode::create).close();
      diary_->kept = 0;
    }
    const Sync sync = round % 4 == 0 ? Sync::none : Sync::full;
    kill_after(std::chrono::microseconds(random() % 30'000), diary_->kept, sync);
    const int there = sound_for_us();
    EXPECT_GE(there, diary_->kept);
    EXPECT_LE(there, diary_->kept + 1);
    if (fs::exists(io::journal_path(path_))) {
      ++journals;
      ++(there > diary_->kept ? applied : dropped);
      repair(path_, "");
    }
    EXPECT_FALSE(fs::exists(io::journal_path(path_)));
    EXPECT_EQ(sound_for_us(), there);
    expect_sound_for_the_library(there);
    if (round % 25 == 24) expect_sound_for_h5py(there);
    diary_->kept = there;
  }
  std::printf("%d kills: %d left a journal, of which %d were complete and %d not\n", kills(), journals, applied,
              dropped);
  EXPECT_GT(journals, 0);
}

}  // namespace
}  // namespace lq
