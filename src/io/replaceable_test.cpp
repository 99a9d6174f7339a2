// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts and the like replace no data, whoever writes them.
#include "io/replaceable.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <limequat/limequat.hpp>

#include "base/bytes.hpp"
#include "io/new_file.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"

namespace lq::io {
namespace {

using testing::contents;
using testing::error_of;
using testing::put_contents;
using namespace std::string_literals;

class Replaceable : public ::testing::Test {
 protected:
  void write_lattice(const std::string& path, const WriteOptions& options = {}) {
    const Grid grid({4, 4, 4, 4});
    std::vector<double> links(static_cast<std::size_t>(grid.volume()) * 72, 0.5);
    lq::write(path, grid, gauge(links), options);
  }
  // A new file with these bytes, which must not replace data of another kind.
  void replace(const std::string& bytes, const std::optional<std::string>& kind) {
    NewFile file(storage::posix(), Communicator(), path_);
    file.keep_other_data("a text", kind);
    file.create(true, bytes.size());
    file.file().write_at(0, base::as_bytes(bytes));
    file.finish(Sync::none);
    file.publish(Sync::none);
  }

  testing::ScratchDirectory directory_;
  std::string path_ = directory_ / "there";
};

TEST_F(Replaceable, TextsReplaceNoDataInWhateverState) {
  write_lattice(path_, {.format = "ildg"});
  const std::string lattice = contents(path_);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {lattice, "ildg"},
      {lattice.substr(0, 5000), ""},
      {lattice.substr(1), "one that is damaged"},
      {"SQLite format 3\0 and more"s, "catalogue"},
      {"\x89HDF\r\n\x1a\n and more"s, "hdf5"},
      {std::string(512, ' ') + "\x89HDF\r\n\x1a\n and more", "hdf5"},
      {"LQPARITY\1\0\0\0\x80\0\0\0 and more"s, "parity"},
      {"BEGIN_HEADER\nHDR_VERSION = 1.0\n", ""},
      {"sion\0\0\0\1"s, ""},
  };
  for (const auto& [bytes, kind] : cases) {
    put_contents(path_, bytes);
    const Error error = error_of([&] { replace("a text", ""); });
    EXPECT_EQ(error.code(), Code::invalid_argument) << bytes.substr(0, 20);
    EXPECT_NE(std::string(error.what()).find("a text must not replace it"), std::string::npos) << error.what();
    if (!kind.empty()) {
      EXPECT_EQ(error.facts().found, kind);
    }
    EXPECT_EQ(contents(path_), bytes);
    EXPECT_TRUE(leftovers_of(path_).empty());
  }
}

TEST_F(Replaceable, OtherFilesAreReplaced) {
  for (const std::string& bytes : {""s, "a text"s, "<html></html>"s, "\x93NUMPY and numbers"s, std::string(4096, '\0'),
                                   "\x89PNG\r\n\x1a\n"s, "{\"refs\": {}}"s}) {
    put_contents(path_, bytes);
    replace("new", "");
    EXPECT_EQ(contents(path_), "new") << bytes.substr(0, 20);
  }
}

// What is extracted has its kind when it is complete.
TEST_F(Replaceable, DataReplaceDataOfTheirKind) {
  write_lattice(path_, {.format = "ildg"});
  const std::string ildg = contents(path_);
  const std::string other = directory_ / "other.nersc";
  write_lattice(other, {.format = "nersc"});
  EXPECT_EQ(error_of([&] { replace(contents(other), std::nullopt); }).facts().found, "ildg");
  EXPECT_EQ(error_of([&] { replace("numbers", std::nullopt); }).facts().found, "ildg");
  EXPECT_EQ(contents(path_), ildg);
  replace(ildg, std::nullopt);
  EXPECT_EQ(contents(path_), ildg);
}

// A name that another program gives to a lattice file in the meantime.
TEST_F(Replaceable, DataThatCameInTheMeantimeStay) {
  put_contents(path_, "an older text");
  NewFile file(storage::posix(), Communicator(), path_);
  file.keep_other_data("a text", "");
  file.create(true, 4);
  file.file().write_at(0, base::as_bytes("text"));
  file.finish(Sync::none);
  write_lattice(path_, {.format = "ildg", .overwrite = true});
  const std::string lattice = contents(path_);
  EXPECT_EQ(error_of([&] { file.publish(Sync::none); }).code(), Code::invalid_argument);
  EXPECT_EQ(contents(path_), lattice);
}

}  // namespace
}  // namespace lq::io
