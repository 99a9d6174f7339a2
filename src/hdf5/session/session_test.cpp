// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sessions with small objects, against the HDF5 library that opens the same file by itself, and against files of QDP++
// and QLUA.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <limequat/error.hpp>
#include <limequat/hdf5.hpp>

#include "io/journal.hpp"
#include "support/error_of.hpp"
#include "support/faulty.hpp"
#include "support/file_contents.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq::hdf5 {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using Complex = std::complex<double>;

// The HDF5 library with a file and an object of it, as any program uses it.
class Plain {
 public:
  explicit Plain(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~Plain() { H5Fclose(file_); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;

  bool has(const char* path) const { return H5Lexists(file_, path, H5P_DEFAULT) > 0; }
  template <class T>
  std::vector<T> read(const char* path, hid_t type, std::size_t count) const {
    std::vector<T> values(count);
    const hid_t dataset = H5Dopen2(file_, path, H5P_DEFAULT);
    EXPECT_GE(dataset, 0) << path;
    EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << path;
    H5Dclose(dataset);
    return values;
  }
  std::string text_attribute(const char* object, const char* name) const {
    const hid_t attribute = H5Aopen_by_name(file_, object, name, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    std::string text(H5Tget_size(type), '?');
    EXPECT_GE(H5Aread(attribute, type, text.data()), 0) << name;
    H5Tclose(type);
    H5Aclose(attribute);
    return text.substr(0, text.find('\0'));
  }
  double number_attribute(const char* object, const char* name) const {
    const hid_t attribute = H5Aopen_by_name(file_, object, name, H5P_DEFAULT, H5P_DEFAULT);
    double value = 0;
    EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), 0) << name;
    H5Aclose(attribute);
    return value;
  }
  hid_t id() const { return file_; }

 private:
  hid_t file_;
};

class SmallSession : public ::testing::Test {
 protected:
  static std::string golden(const std::string& name) {
    return std::string(LQ_SOURCE_DIR) + "/tests/golden/good/hdf5/" + name;
  }
  static std::vector<std::string> names(File& file, const std::string& path = ".") {
    std::vector<std::string> found;
    for (const Entry& entry : file.ls(path)) found.push_back(entry.name);
    return found;
  }
  Code code_of(const std::function<void()>& work) const { return error_of(work).code(); }

  testing::ScratchDirectory directory_;
  const std::string path_ = directory_ / "data.h5";
};

TEST_F(SmallSession, WritesWhatTheLibraryReads) {
  File file(path_, Mode::create);
  file.write("/a/b/number", 2.5);
  file.write("/a/count", 7);
  file.write("/text", "hello");
  file.write("/table", Array(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}));
  file.write("/z", Array(std::vector<Complex>{{1, 2}, {3, 4}}));
  file.set_attribute("/a", "note", "a group");
  file.set_attribute("/table", "beta", 5.5);
  EXPECT_FALSE(fs::exists(path_));
  file.close();
  const Plain plain(path_);
  EXPECT_EQ(plain.read<double>("/a/b/number", H5T_NATIVE_DOUBLE, 1).front(), 2.5);
  EXPECT_EQ(plain.read<int>("/a/count", H5T_NATIVE_INT, 1).front(), 7);
  EXPECT_EQ(plain.read<double>("/table", H5T_NATIVE_DOUBLE, 6), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(plain.text_attribute("/a", "note"), "a group");
  EXPECT_EQ(plain.number_attribute("/table", "beta"), 5.5);
  EXPECT_EQ(plain.text_attribute("/text", "sha256").size(), 64U);
}

TEST_F(SmallSession, ReadsBackAllTypes) {
  const std::vector<std::pair<std::string, Array>> all{
      {"int32", -7},
      {"int64", std::int64_t{-1'000'000'000'000}},
      {"uint64", std::uint64_t{18'000'000'000'000'000'000U}},
      {"float", 1.25F},
      {"double", 0.1},
      {"complex64", std::complex<float>(1, -2)},
      {"complex128", Complex(3, 4)},
      {"text", "some text, \xc3\xa4 \xc3\xb6"},
      {"empty", ""},
      {"none", std::vector<double>()},
      {"texts", std::vector<std::string>{"a", "longer", ""}},
      {"cube", Array(std::vector<float>(24, 0.5F), {2, 3, 4})},
      {"pairs", Array(std::vector<Complex>(6, {1, 2}), {3, 2})},
  };
  File file(path_, Mode::create);
  for (const auto& [name, value] : all) {
    file.write(name, value);
    if (value.count() > 0) file.set_attribute("/", "of " + name, value);
  }
  file.close();
  File again(path_);
  for (const auto& [name, value] : all) {
    const ReadArray read = again.read_checked(name);
    EXPECT_EQ(read.value, value) << name;
    EXPECT_EQ(read.status, ChecksumStatus::ok) << name;
    if (value.count() > 0) {
      EXPECT_EQ(again.attribute("/", "of " + name), value) << name;
    }
  }
  EXPECT_EQ(again.attributes("/").size(), all.size() - 1);
}

TEST_F(SmallSession, IsBrowsedLikeFolders) {
  File file(path_, Mode::create);
  EXPECT_EQ(file.pwd(), "/");
  file.mkdir("runs/first/deep");
  file.cd("runs/first");
  EXPECT_EQ(file.pwd(), "/runs/first");
  file.write("x", 1);
  file.write("../y", 2);
  file.cd("..");
  EXPECT_EQ(names(file), (std::vector<std::string>{"first", "y"}));
  EXPECT_EQ(names(file, "first"), (std::vector<std::string>{"deep", "x"}));
  EXPECT_EQ(names(file, "/runs/../runs/./first"), (std::vector<std::string>{"deep", "x"}));
  EXPECT_EQ(names(file, "y"), std::vector<std::string>{"y"});
  file.cd("/");
  file.push("new/one");
  EXPECT_EQ(file.pwd(), "/new/one");
  file.push("/runs");
  file.pop();
  EXPECT_EQ(file.pwd(), "/new/one");
  file.pop();
  EXPECT_EQ(file.pwd(), "/");
  EXPECT_EQ(code_of([&] { file.pop(); }), Code::wrong_state);
  EXPECT_TRUE(file.exists("new/one"));
  EXPECT_FALSE(file.exists("new/two"));
  EXPECT_EQ(code_of([&] { file.cd("nowhere"); }), Code::no_such_record);
  EXPECT_EQ(code_of([&] { file.cd("runs/y"); }), Code::no_such_record);
  EXPECT_EQ(file.pwd(), "/");
}

TEST_F(SmallSession, ChangesTheTree) {
  File file(path_, Mode::create);
  file.write("/a/x", 1);
  file.write("/a/y", "text");
  EXPECT_EQ(code_of([&] { file.write("/a/x", 2); }), Code::exists);
  file.write("/a/x", 2, true);
  EXPECT_EQ(file.read("/a/x").integer(), 2);
  file.rename("/a/x", "/b/c/x");
  EXPECT_FALSE(file.exists("/a/x"));
  EXPECT_EQ(file.read("/b/c/x").integer(), 2);
  EXPECT_EQ(code_of([&] { file.rename("/b/c/x", "/a/y"); }), Code::exists);
  EXPECT_EQ(code_of([&] { file.rename("/b", "/b/c/d"); }), Code::invalid_argument);
  file.copy("/b", "/d");
  EXPECT_EQ(file.read("/d/c/x").integer(), 2);
  file.remove("/b");
  EXPECT_FALSE(file.exists("/b/c/x"));
  EXPECT_TRUE(file.exists("/d/c/x"));
  EXPECT_EQ(code_of([&] { file.remove("/b"); }), Code::no_such_record);
  EXPECT_EQ(code_of([&] { file.remove("/"); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { file.write("/a/y/z", 1); }), Code::invalid_argument);
  file.set_attribute("/d", "n", 5);
  EXPECT_EQ(code_of([&] { (void)file.attribute("/d", "m"); }), Code::no_such_record);
  file.remove_attribute("/d", "n");
  EXPECT_TRUE(file.attributes("/d").empty());
  EXPECT_EQ(code_of([&] { file.remove_attribute("/d", "n"); }), Code::no_such_record);
  file.close();
  const Plain plain(path_);
  EXPECT_FALSE(plain.has("/b"));
  EXPECT_TRUE(plain.has("/d/c/x"));
  EXPECT_EQ(plain.read<int>("/d/c/x", H5T_NATIVE_INT, 1).front(), 2);
}

TEST_F(SmallSession, WhatFailsLeavesNothingBehind) {
  File file(path_, Mode::create);
  EXPECT_EQ(code_of([&] { file.write("/a/bad", Array(std::vector<double>(3), {2})); }), Code::invalid_argument);
  EXPECT_EQ(code_of([&] { file.write("/a/bad", std::string("a\0b", 3)); }), Code::invalid_argument);
  EXPECT_TRUE(names(file, "/").empty());
  EXPECT_EQ(code_of([&] { File(path_, Mode::create, {}, {.layout = "none"}); }), Code::invalid_argument);
}

TEST_F(SmallSession, TellsWhatAnObjectIs) {
  File file(path_, Mode::create);
  file.write("/a/table", Array(std::vector<double>(6), {2, 3}));
  file.set_attribute("/a/table", "one", 1);
  const Facts facts = file.stat("/a/table");
  EXPECT_EQ(facts.path, "/a/table");
  EXPECT_EQ(facts.kind, EntryKind::dataset);
  EXPECT_EQ(facts.type, "float64");
  EXPECT_EQ(facts.extents, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(facts.storage, "contiguous");
  EXPECT_EQ(facts.bytes, 48U);
  EXPECT_TRUE(facts.microseconds > 1'700'000'000'000'000);
  EXPECT_EQ(facts.checksum.size(), 64U);
  EXPECT_EQ(facts.attributes, 3U);
  EXPECT_EQ(file.stat("/a").kind, EntryKind::group);
  EXPECT_EQ(file.stat("/").bytes, 48U);
  EXPECT_EQ(code_of([&] { file.stat("/b"); }), Code::no_such_record);
}

TEST_F(SmallSession, TellsTheRoomOfWhatWasRemoved) {
  File file(path_, Mode::create);
  file.write("/keep", std::vector<double>(1000));
  file.write("/drop", std::vector<double>(5000));
  file.flush();
  const std::uint64_t before = file.stat("/").unused_bytes;
  file.remove("/drop");
  file.flush();
  EXPECT_GE(file.stat("/").unused_bytes, before + 40'000);
}

// Both files hold what their READMEs say, written by QDP++, and in the layout of QLUA with its SHA-256.
TEST_F(SmallSession, ReadsFilesOfQdp) {
  File file(golden("qdpxx-objects-4x2x2x6.h5"));
  EXPECT_EQ(file.read("/scalar/int").integer(), -7);
  EXPECT_EQ(file.read("/scalar/short").integer(), -3);
  EXPECT_EQ(file.read("/scalar/ull").integer(), 1234567890123);
  EXPECT_EQ(file.read("/scalar/string").text(), "plain text");
  EXPECT_EQ(file.read("/scalar/ComplexF").complex(), Complex(1, -2));
  EXPECT_EQ(file.read("/scalar/double_1d"), Array(std::vector<double>{0, 0.5, 1, 1.5, 2}));
  EXPECT_EQ(file.read("/scalar/double_2d").extents, (std::vector<std::uint64_t>{3, 3}));
  EXPECT_EQ(file.read_checked("/scalar/int").status, ChecksumStatus::absent);
  EXPECT_EQ(file.stat("/lattice/ColorMatrixD").layout, "qdp");
  EXPECT_EQ(file.ls("/").front().kind, EntryKind::type);
}

TEST_F(SmallSession, ReadsFilesOfQluaWithTheirSums) {
  File file(golden("qlua-layout-2x4x2x6.h5"));
  file.cd("scalar");
  for (const char* name : {"complex", "real", "string", "vecint", "vecreal"}) {
    EXPECT_EQ(file.read_checked(name).status, ChecksumStatus::ok) << name;
  }
  EXPECT_EQ(file.read("vecint"), Array(std::vector<std::int32_t>{7, -8, 9}));
  EXPECT_EQ(file.read("string").text(), "hello");
  const Facts facts = file.stat("/scalar/vecreal");
  EXPECT_EQ(facts.object, "VectorReal");
  EXPECT_EQ(facts.layout, "qlua");
  EXPECT_EQ(facts.microseconds, 1'400'000'000'000'000);
}

// The same objects, written by us: equal types, and the same sums.
TEST_F(SmallSession, WritesAsQluaDoes) {
  File theirs(golden("qlua-layout-2x4x2x6.h5"));
  File ours(path_, Mode::create, {}, {.layout = "qlua"});
  for (const std::string name :
       {"/scalar/complex", "/scalar/real", "/scalar/string", "/scalar/vecint", "/scalar/vecreal"}) {
    ours.write(name, theirs.read(name));
    const Facts a = ours.stat(name), b = theirs.stat(name);
    EXPECT_EQ(a.type, b.type) << name;
    EXPECT_EQ(a.checksum, b.checksum) << name;
    EXPECT_EQ(a.object, b.object) << name;
    EXPECT_EQ(a.extents, b.extents) << name;
    EXPECT_EQ(ours.read(name), theirs.read(name)) << name;
  }
  ours.close();
  const Plain mine(path_), other(golden("qlua-layout-2x4x2x6.h5"));
  for (const char* name : {".VectorInt3", ".VectorRealDouble5", ".ComplexDouble"}) {
    const hid_t a = H5Topen2(mine.id(), name, H5P_DEFAULT), b = H5Topen2(other.id(), name, H5P_DEFAULT);
    EXPECT_GT(H5Tequal(a, b), 0) << name;
    H5Tclose(a);
    H5Tclose(b);
  }
}

TEST_F(SmallSession, LayoutsRefuseWhatTheyHaveNoPlaceFor) {
  File qlua(path_, Mode::create, {}, {.layout = "qlua"});
  EXPECT_EQ(code_of([&] { qlua.write("n", 7); }), Code::unsupported);
  EXPECT_EQ(code_of([&] { qlua.write("n", Array(std::vector<double>(8), {2, 2, 2})); }), Code::unsupported);
  qlua.write("m", Array(std::vector<Complex>(6, {1, 2}), {2, 3}));
  EXPECT_EQ(qlua.stat("m").object, "MatrixComplex");
  EXPECT_EQ(qlua.read("m").extents, (std::vector<std::uint64_t>{2, 3}));
  File qdp(directory_ / "qdp.h5", Mode::create, {}, {.layout = "qdp"});
  EXPECT_EQ(code_of([&] { qdp.write("n", std::int64_t{7}); }), Code::unsupported);
  qdp.write("c", Complex(1, 2));
  EXPECT_TRUE(qdp.exists("/.ComplexDouble"));
  EXPECT_TRUE(qdp.attributes("c").empty());
}

// A byte of the data is changed behind our back.
TEST_F(SmallSession, ThreeAnswersOfASum) {
  File file(path_, Mode::create, {}, {.layout = "qlua"});
  file.write("v", std::vector<double>{1.5, 2.5, 1234.5678});
  file.write("w", 3.5);
  file.close();
  {
    File open(path_, Mode::append);
    open.remove_attribute("w", ".sha256");
    open.close();
  }
  std::string bytes = testing::contents(path_);
  const std::string number("\x40\x93\x4a\x45\x6d\x5c\xfa\xad", 8);  // 1234.5678, big-endian
  const std::size_t at = bytes.find(number);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] ^= 1;
  testing::put_contents(path_, bytes);
  File check(path_);
  EXPECT_EQ(code_of([&] { (void)check.read("v"); }), Code::checksum_mismatch);
  EXPECT_EQ(code_of([&] { (void)check.read("w"); }), Code::checksum_mismatch);
  File ignore(path_, Mode::read, {}, {.digests = Digests::ignore});
  EXPECT_EQ(ignore.read_checked("v").status, ChecksumStatus::mismatch);
  EXPECT_EQ(ignore.read_checked("w").status, ChecksumStatus::absent);
  EXPECT_EQ(ignore.read("w").real(), 3.5);
}

TEST_F(SmallSession, TablesHaveNamedAxes) {
  Array table(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3});
  table.axes = {{"momentum", {0, 1}}, {"t", {}}};
  File file(path_, Mode::create);
  file.write("/c/pion", table);
  file.write("/c/rho", table);
  EXPECT_EQ(file.read("/c/pion"), table);
  EXPECT_EQ(names(file, "/c"), (std::vector<std::string>{"momentum", "pion", "rho", "t"}));
  table.axes[0].coordinates = {0, 2};
  EXPECT_EQ(code_of([&] { file.write("/c/other", table); }), Code::exists);
  file.close();
  const Plain plain(path_);
  EXPECT_EQ(plain.text_attribute("/c/momentum", "CLASS"), "DIMENSION_SCALE");
  EXPECT_EQ(plain.read<double>("/c/momentum", H5T_NATIVE_DOUBLE, 2), (std::vector<double>{0, 1}));
}

TEST_F(SmallSession, NewFilesHaveTheirNameWhenTheyAreClosed) {
  {
    File file(path_, Mode::create);
    file.write("x", 1);
    file.flush();
  }
  EXPECT_TRUE(testing::files_in(directory_.path()).empty());
  {
    File file(path_, Mode::append);
    file.write("x", 1);
    file.close();
  }
  EXPECT_EQ(testing::files_in(directory_.path()), std::vector<std::string>{"data.h5"});
  EXPECT_EQ(code_of([&] { File(path_, Mode::create).close(); }), Code::exists);
  File file(path_, Mode::create, {}, {.overwrite = true});
  file.close();
  EXPECT_TRUE(names(*std::make_unique<File>(path_)).empty());
  EXPECT_EQ(code_of([&] { file.ls(); }), Code::wrong_state);
}

TEST_F(SmallSession, AppendsInPlace) {
  {
    File file(path_, Mode::create);
    file.write("first", 1);
    file.close();
  }
  File file(path_, Mode::append);
  file.write("second", std::vector<double>(1000, 2.0));
  EXPECT_EQ(names(*std::make_unique<File>(path_)), std::vector<std::string>{"first"});
  file.flush();
  EXPECT_EQ(names(*std::make_unique<File>(path_)), (std::vector<std::string>{"first", "second"}));
  file.write("third", 3);
  file.close();
  EXPECT_EQ(testing::files_in(directory_.path()), std::vector<std::string>{"data.h5"});
  const Plain plain(path_);
  EXPECT_EQ(plain.read<int>("first", H5T_NATIVE_INT, 1).front(), 1);
  EXPECT_EQ(plain.read<double>("second", H5T_NATIVE_DOUBLE, 1000), std::vector<double>(1000, 2.0));
  EXPECT_EQ(plain.read<int>("third", H5T_NATIVE_INT, 1).front(), 3);
}

// A reader whose file gets new states while it looks sees one of them, whole.
TEST_F(SmallSession, ReadersSeeWholeStates) {
  {
    File file(path_, Mode::create);
    file.write("n", 0);
    file.close();
  }
  const pid_t child = ::fork();
  if (child == 0) {
    File file(path_, Mode::append, {}, {.sync = Sync::none});
    for (int n = 1; n <= 300; ++n) {
      file.write("n", n, true);
      file.set_attribute("n", "same", n);
      file.flush();
    }
    file.close();
    ::_exit(0);
  }
  File file(path_);
  std::int64_t last = 0;
  int status = 0, states = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const std::int64_t n = file.read("n").integer();
    EXPECT_GE(n, last);
    states += n > last ? 1 : 0;
    last = n;
  }
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(file.read("n").integer(), 300);
  EXPECT_EQ(file.attribute("n", "same").integer(), 300);
  EXPECT_GT(states, 0);
}

TEST_F(SmallSession, OfTwoWritersTheSecondIsRefused) {
  {
    File file(path_, Mode::create);
    file.close();
  }
  File one(path_, Mode::append);
  one.write("one", 1);
  EXPECT_EQ(code_of([&] { File two(path_, Mode::append); }), Code::io);
  one.flush();
  EXPECT_EQ(names(*std::make_unique<File>(path_)), std::vector<std::string>{"one"});
  one.close();
  EXPECT_NO_THROW(File(path_, Mode::append));
}

// Programs that know no lock of ours.
TEST_F(SmallSession, NothingIsWrittenOverWhatSomebodyElseHasWritten) {
  {
    File file(path_, Mode::create);
    file.close();
  }
  File file(path_, Mode::append);
  file.write("one", 1);
  std::ofstream(path_, std::ios::app) << "more";
  EXPECT_EQ(code_of([&] { file.flush(); }), Code::io);
}

TEST_F(SmallSession, AFileThatIsReadIsNotWritten) {
  {
    File file(path_, Mode::create);
    file.close();
  }
  File file(path_);
  EXPECT_EQ(code_of([&] { file.write("x", 1); }), Code::wrong_state);
  EXPECT_EQ(code_of([&] { file.mkdir("x"); }), Code::wrong_state);
  EXPECT_EQ(code_of([&] { file.set_attribute("/", "x", 1); }), Code::wrong_state);
}

TEST_F(SmallSession, WhatIsNoHdf5FileIsRefused) {
  EXPECT_EQ(code_of([&] { File{path_}; }), Code::not_found);
  testing::put_contents(path_, "some text, long enough to be looked at by whoever wants to know what it is");
  EXPECT_EQ(code_of([&] { File{path_}; }), Code::unknown_format);
  EXPECT_EQ(code_of([&] { File(path_, Mode::append); }), Code::unknown_format);
}

TEST_F(SmallSession, WithoutTimeStampsBytesAreTheSame) {
  for (const char* name : {"a.h5", "b.h5"}) {
    File file(directory_ / name, Mode::create, {}, {.time_stamps = false});
    file.write("/group/x", std::vector<double>{1, 2});
    file.set_attribute("/group", "n", "text");
    file.close();
    ::usleep(1'100'000);
  }
  EXPECT_EQ(testing::contents(directory_ / "a.h5"), testing::contents(directory_ / "b.h5"));
}

TEST_F(SmallSession, ThreeRanksSeeTheSame) {
  testing::run_ranks(3, [&](std::shared_ptr<comm::Comm> comm) {
    const Communicator all(std::move(comm));
    File file(path_, Mode::create, all);
    file.push("a/b");
    file.write("x", std::vector<double>{1, 2});
    file.set_attribute("x", "n", "text");
    EXPECT_EQ(file.pwd(), "/a/b");
    EXPECT_EQ(file.read("x"), Array(std::vector<double>{1, 2}));
    EXPECT_EQ(file.ls().size(), 1U);
    EXPECT_EQ(file.attribute("x", "n").text(), "text");
    const Error error = error_of([&] { (void)file.read("y"); });
    EXPECT_EQ(error.code(), Code::no_such_record);
    EXPECT_NE(std::string(error.what()).find("data.h5"), std::string::npos);
    EXPECT_EQ(error_of([&] { (void)file.read(all.is_root() ? "x" : "y"); }).code(), Code::ranks_disagree);
    file.close();
  });
  EXPECT_EQ(File(path_).read("/a/b/x").reals(), (std::vector<double>{1, 2}));
}

TEST_F(SmallSession, LinksIntoOtherFilesAreNotFollowed) {
  {
    File file(path_, Mode::create);
    file.write("/group/x", 1);
    file.close();
  }
  const hid_t plain = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/x", plain, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/group", plain, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/circle", plain, "circle", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(plain);
  File file(path_, Mode::append);
  EXPECT_EQ(code_of([&] { (void)file.read("/elsewhere"); }), Code::unsupported);
  EXPECT_EQ(code_of([&] { file.write("/elsewhere/x", 1); }), Code::unsupported);
  const std::vector<Entry> entries = file.ls("/");
  EXPECT_EQ(entries, (std::vector<Entry>{{"circle", EntryKind::link, "/circle"},
                                         {"elsewhere", EntryKind::link, "other.h5:/x"},
                                         {"group", EntryKind::group, ""},
                                         {"soft", EntryKind::group, "/group"}}));
  file.write("/soft/y", 2);
  EXPECT_EQ(file.read("/group/y").integer(), 2);
  file.cd("soft");
  EXPECT_EQ(file.pwd(), "/group");
  file.remove("/soft");
  EXPECT_TRUE(file.exists("/group/x"));
}

// The library comes upon the damage while it frees the list of chunks; the file could not be closed then, and the
// program would end in a crash.
TEST_F(SmallSession, WhatIsDamagedIsNotRemoved) {
  std::string bytes = testing::contents(golden("native-latest.h5"));
  constexpr std::size_t in_the_list_of_chunks = 5728;
  bytes[in_the_list_of_chunks] = '<';
  testing::put_contents(path_, bytes);
  File file(path_, Mode::append);
  for (const bool replace : {false, true}) {
    const Error error = error_of([&] { replace ? file.write("/extensible", 1, true) : file.remove("/extensible"); });
    EXPECT_EQ(error.code(), Code::malformed) << error.what();
    EXPECT_NE(std::string(error.what()).find("/extensible: its chunks cannot be counted"), std::string::npos)
        << error.what();
  }
  file.remove("/tree");
  file.close();
  EXPECT_FALSE(File(path_).exists("/tree"));
  EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
}

}  // namespace
}  // namespace lq::hdf5
