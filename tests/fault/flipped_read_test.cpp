// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every operation that makes a file out of another one, with one flipped bit in what its k-th read gives, for every k.
// Claim: it fails, and what was there before is there still; or what it made is right, byte for byte, number for
// number.
#include <gtest/gtest.h>
#include <limequat/limequat.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "storage/transport.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/flipping.hpp"
#include "support/formula_field.hpp"
#include "support/leaks_of_hdf5.hpp"
#include "support/scratch_directory.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::contents;
using testing::error_of;

const Extents lattice{2, 2, 2, 4};

// Where in what a read gives the bit is.
struct Place {
  double place;
  int bit;
};
constexpr std::array places{Place{0, 0}, Place{0.1, 5}, Place{1.0 / 3, 2}, Place{0.62, 7}, Place{1, 4}};

class FlippedRead : public ::testing::Test {
 protected:
  // What an operation must give: nothing where that is so, else what is wrong. Called while nothing flips.
  using Problem = std::function<std::string()>;

  static std::vector<double> links() {
    const Grid grid(lattice);
    std::vector<double> values(grid.local_volume() * 72);
    generate(grid, field_of(values), {.sweeps = 1, .hot_start = true});
    return values;
  }
  static MutableField field_of(std::vector<double>& values) {
    return {.spec = gauge_spec(Precision::double_), .data = values.data(), .available = values.size()};
  }

  void put_gauge(const std::string& name, const WriteOptions& options = {}) {
    WriteOptions how = options;
    how.time_stamps = !name.ends_with(".h5");
    how.sync = Sync::none;
    write(folder_ / name, Grid(lattice), field_of(links_), how);
  }

  std::string at(const std::string& name) const { return folder_ / name; }

  // `prepare` fills the folder, `work` makes files out of others, `problem` looks at what there is then. Of files that
  // the work replaces `what_was` tells whether they are as before after an error; the others stay byte for byte.
  void at_every_read(
      const std::function<void()>& prepare, const std::function<void()>& work, const Problem& problem,
      const Problem& what_was = [] { return std::string(); }) {
    start(prepare);
    const Error clean = error_of(work);
    ASSERT_EQ(clean.code(), Code::ok) << clean.what();
    ASSERT_EQ(problem(), "");
    std::int64_t reads = 0;
    for (bool is_reached = true; is_reached; ++reads) {
      ASSERT_LT(reads, 2000);
      for (const Place& place : places) {
        start(prepare);
        Error error{Code::ok, ""};
        {
          testing::FlippingTransport flipping(storage::posix(), reads, place.place, place.bit);
          const storage::Mount mount(folder_.path(), flipping);
          error = error_of(work);
          is_reached = flipping.has_flipped();
        }
        if (!is_reached) break;
        const std::string wrong = error.code() == Code::ok ? problem() : changed() + what_was();
        EXPECT_EQ(wrong, "") << "read " << reads << ", bit " << place.bit << " at " << place.place << " of it; "
                             << error.what();
      }
    }
    EXPECT_GT(reads, 1);  // that it reads at all
  }

  // That a file is what it was in a run without a flip.
  Problem same_as_clean(const std::string& name) {
    return [this, name] {
      if (!fs::exists(at(name))) return name + " is not there";
      const std::string found = contents(at(name));
      const auto [expected, is_new] = clean_.try_emplace(name, found);
      return expected->second == found ? std::string() : name + " has other bytes";
    };
  }

  // That the gauge field in a file is the one that was written.
  Problem same_links(const std::string& name) {
    return [this, name] {
      std::vector<double> found(links_.size());
      const Error error = error_of([&] { read(at(name), Grid(lattice), field_of(found)); });
      return error.code() == Code::ok && found == links_ ? std::string() : name + ": other links; " + error.what();
    };
  }

  // That a set or a file has these bytes.
  Problem same_whole(const std::string& name, const std::string& bytes) {
    return [this, name, &bytes]() -> std::string {
      std::string found;
      const Error error = error_of([&] {
        View view(at(name));
        found.resize(static_cast<std::size_t>(view.size()));
        view.read(std::as_writable_bytes(std::span(found)));
      });
      return found == bytes ? "" : name + ": other bytes; " + error.what();
    };
  }

  // Another folder is prepared.
  void clear() { kept_.clear(), clean_.clear(); }
  // Files that the work may change are not looked at.
  void may_change(const std::string& beginning) { changing_.push_back(beginning); }

  testing::ScratchDirectory folder_;
  std::vector<double> links_ = links();
  std::string bytes_;  // of a file that was prepared

 private:
  void start(const std::function<void()>& prepare) {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove_all(entry.path());
    if (kept_.empty()) {
      prepare();
      for (const std::string& name : testing::files_in(folder_.path())) kept_[name] = contents(at(name));
      return;
    }
    for (const auto& [name, bytes] : kept_) testing::put_contents(at(name), bytes);
  }

  std::string changed() {
    for (const auto& [name, bytes] : kept_) {
      const std::string& one = name;
      if (std::ranges::any_of(changing_, [&](const std::string& beginning) { return one.starts_with(beginning); }))
        continue;
      if (!fs::exists(at(name)) || contents(at(name)) != bytes) return name + " was changed by an error; ";
    }
    return {};
  }

  std::map<std::string, std::string> kept_, clean_;
  std::vector<std::string> changing_;
};

CopyOptions copying(Verify verify, std::uint64_t block_bytes = 4000) {
  return {.verify = verify, .sync = Sync::none, .block_bytes = block_bytes};
}

class FlippedCopy : public FlippedRead, public ::testing::WithParamInterface<std::tuple<std::string, Verify>> {};

TEST_P(FlippedCopy, IsRightOrFails) {
  const std::string& name = std::get<0>(GetParam());
  const Verify verify = std::get<1>(GetParam());
  at_every_read([&] { put_gauge(name); }, [&] { copy({at(name)}, at("copy" + name), {}, copying(verify)); },
                [&] { return contents(at("copy" + name)) == contents(at(name)) ? "" : "another copy"; });
}

INSTANTIATE_TEST_SUITE_P(Formats, FlippedCopy,
                         ::testing::Combine(::testing::Values("a.ildg", "a.nersc", "a.openqcd", "a.milc"
#ifdef LQ_HAVE_HDF5
                                                              ,
                                                              "a.h5"
#endif
                                                              ),
                                            ::testing::Values(Verify::checksum, Verify::read_back)),
                         [](const auto& of) {
                           const std::string name = std::get<0>(of.param).substr(2);
                           return name + (std::get<1>(of.param) == Verify::checksum ? "Checksum" : "ReadBack");
                         });

TEST_F(FlippedRead, CopiesOfBytesAreRightOrFail) {
  at_every_read([&] { testing::put_contents(at("a"), std::string(9001, 'q')); },
                [&] { copy({at("a")}, at("b"), {}, copying(Verify::checksum)); },
                [&] { return contents(at("a")) == contents(at("b")) ? "" : "another copy"; });
}

TEST_F(FlippedRead, CopiesByRanksAreRightOrFail) {
  at_every_read([&] { put_gauge("a.ildg"); },
                [&] {
                  testing::run_ranks(3, [&](const std::shared_ptr<comm::Comm>& comm) {
                    copy({at("a.ildg")}, at("b"), Communicator(comm), copying(Verify::checksum));
                  });
                },
                [&] { return contents(at("a.ildg")) == contents(at("b")) ? "" : "another copy"; });
}

// --- Sets of subfiles ---------------------------------------------------------------------------------------------

RepartitionOptions into(const std::string& partition) {
  RepartitionOptions options;
  options.to = partition;
  options.overwrite = true;
  options.sync = Sync::none;
  options.block_bytes = 4000;
  return options;
}

class FlippedRepartition : public FlippedRead {
 protected:
  void prepare(const std::string& partition) {
    put_gauge("a.ildg");
    bytes_ = contents(at("a.ildg"));
    if (!partition.empty()) repartition(at("a.ildg"), at("a.ildg"), {}, into(partition));
  }
  void try_out(const std::string& before, const std::string& after, const std::string& to) {
    if (to == "a.ildg") may_change("a.ildg");
    at_every_read([&] { prepare(before); }, [&] { repartition(at("a.ildg"), at(to), {}, into(after)); },
                  same_whole(to, bytes_), same_whole("a.ildg", bytes_));
  }
};

TEST_F(FlippedRepartition, IntoSubfilesIsRightOrFails) { try_out("", "t=block:2", "b.ildg"); }
TEST_F(FlippedRepartition, IntoSubfilesInPlaceIsRightOrFails) { try_out("", "t=block:2", "a.ildg"); }
TEST_F(FlippedRepartition, IntoOtherSubfilesInPlaceIsRightOrFails) { try_out("t=block:2", "x=block:2", "a.ildg"); }
TEST_F(FlippedRepartition, BackToOneFileIsRightOrFails) { try_out("t=block:2", "whole", "b.ildg"); }
TEST_F(FlippedRepartition, BackToOneFileInPlaceIsRightOrFails) { try_out("t=block:2", "whole", "a.ildg"); }

// --- Archives -----------------------------------------------------------------------------------------------------

class FlippedSqueeze : public FlippedRead, public ::testing::WithParamInterface<std::string> {
 protected:
  static SqueezeOptions options() { return {.overwrite = true, .sync = Sync::none}; }

  // That the archive gives the original.
  std::string problem_of_archive(const std::string& name) {
    const Error error = error_of([&] { unsqueeze(at(name), at("again"), {}, options()); });
    if (error.code() != Code::ok) return error.what();
    return contents(at("again")) == bytes_ ? "" : "another original";
  }
};

TEST_P(FlippedSqueeze, IntoAnArchiveIsRightOrFails) {
  at_every_read([&] { put_gauge(GetParam()), bytes_ = contents(at(GetParam())); },
                [&] { squeeze(at(GetParam()), at("a.sqz"), {}, options()); },
                [&] { return problem_of_archive("a.sqz"); });
}

TEST_P(FlippedSqueeze, InPlaceIsRightOrFails) {
  at_every_read([&] { put_gauge(GetParam()), bytes_ = contents(at(GetParam())); },
                [&] { squeeze(at(GetParam()), at(GetParam()), {}, options()); },
                [&] { return problem_of_archive(GetParam()); });
}

TEST_P(FlippedSqueeze, OutOfAnArchiveIsRightOrFails) {
  at_every_read(
      [&] {
        put_gauge(GetParam());
        bytes_ = contents(at(GetParam()));
        squeeze(at(GetParam()), at("a.sqz"), {}, options());
      },
      [&] { unsqueeze(at("a.sqz"), at("b"), {}, options()); },
      [&] { return contents(at("b")) == bytes_ ? "" : "another original"; });
}

TEST_P(FlippedSqueeze, OutOfAnArchiveInPlaceIsRightOrFails) {
  at_every_read(
      [&] {
        put_gauge(GetParam());
        bytes_ = contents(at(GetParam()));
        squeeze(at(GetParam()), at("a.sqz"), {}, options());
      },
      [&] { unsqueeze(at("a.sqz"), at("a.sqz"), {}, options()); },
      [&] { return contents(at("a.sqz")) == bytes_ ? "" : "another original"; });
}

INSTANTIATE_TEST_SUITE_P(Formats, FlippedSqueeze, ::testing::Values("a.ildg", "a.nersc", "a.openqcd"),
                         [](const auto& of) { return of.param.substr(2); });

// --- Multifiles ---------------------------------------------------------------------------------------------------

class FlippedMultifile : public FlippedRead {
 protected:
  static std::string stream_of(std::int64_t task) {
    return std::string(static_cast<std::size_t>(3000 + 100 * task), static_cast<char>('a' + task));
  }

  void put_checkpoint(const MultifileOptions& options = {}) {
    MultifileOptions how = options;
    how.streams = 3;
    how.sync = Sync::none;
    MultifileWriter writer(at("a.sion"), {}, how);
    for (std::size_t i = 0; i < 3; ++i) writer.stream(i).write(stream_of(static_cast<std::int64_t>(i)));
    const Grid grid(lattice);
    writer.write_field("gauge", grid, field_of(links_));
    writer.close();
  }

  std::string problem_of(const std::string& name, const std::string& added = {}) {
    std::string problem;
    const Error error = error_of([&] {
      const MultifileReader reader(at(name));
      if (reader.tasks() != 3) problem = "other tasks";
      for (std::int64_t task = 0; task < 3; ++task) {
        const auto bytes = reader.task(task).read_all();
        const std::string found(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (found != stream_of(task) + (task == 0 ? added : "")) problem = "another stream";
      }
      std::vector<double> found(links_.size());
      reader.read_field("gauge", Grid(lattice), field_of(found));
      if (found != links_) problem = "other links";
      if (!verify_multifile(at(name)).is_sound()) problem = "not sound";
    });
    return problem + (error.code() == Code::ok ? "" : error.what());
  }

  static RepackOptions repacking() {
    RepackOptions options;
    options.sync = Sync::none;
    options.threads = 1;
    return options;
  }
};

TEST_F(FlippedMultifile, DefragmentIsRightOrFails) {
  at_every_read([&] { put_checkpoint(); }, [&] { defragment(at("a.sion"), at("b.sion"), repacking()); },
                [&] { return problem_of("b.sion"); });
}

TEST_F(FlippedMultifile, RewriteIsRightOrFails) {
  at_every_read([&] { put_checkpoint(); }, [&] { rewrite(at("a.sion"), at("b.sion"), repacking()); },
                [&] { return problem_of("b.sion"); });
}

TEST_F(FlippedMultifile, RewriteOfCompressedStreamsIsRightOrFails) {
  if (!is_available(Compression::zstd)) GTEST_SKIP();
  at_every_read([&] { put_checkpoint({.compression = Compression::zstd}); },
                [&] { rewrite(at("a.sion"), at("b.sion"), repacking()); }, [&] { return problem_of("b.sion"); });
}

TEST_F(FlippedMultifile, DefragmentWithoutChecksumsIsRightOrFails) {
  at_every_read([&] { put_checkpoint({.checksums = false}); },
                [&] { defragment(at("a.sion"), at("b.sion"), repacking()); }, [&] { return problem_of("b.sion"); });
}

TEST_F(FlippedMultifile, CopyIsRightOrFails) {
  at_every_read([&] { put_checkpoint(); },
                [&] { copy({at("a.sion")}, at("b.sion"), {}, copying(Verify::checksum, base::mebi)); },
                [&] { return problem_of("b.sion"); });
}

TEST_F(FlippedMultifile, AppendIsRightOrFails) {
  may_change("a.sion");
  at_every_read([&] { put_checkpoint(); },
                [&] {
                  MultifileWriter writer =
                      MultifileWriter::append(at("a.sion"), {}, {.streams = 1, .sync = Sync::none});
                  writer.write(base::as_bytes(std::string_view("more")));
                  writer.close();
                },
                [&] { return problem_of("a.sion", "more"); },
                [&]() -> std::string {
                  // Whatever was flushed before can be recovered, though it may have to be repaired.
                  const std::string as_before = problem_of("a.sion");
                  if (as_before.empty() || problem_of("a.sion", "more").empty()) return "";
                  const Error error = error_of([&] { repair_multifile(at("a.sion")); });
                  if (error.code() != Code::ok) return error.what();
                  return problem_of("a.sion").empty() || problem_of("a.sion", "more").empty() ? "" : "lost";
                });
}

TEST_F(FlippedMultifile, PackIsRightOrFails) {
  at_every_read(
      [&] {
        for (std::int64_t i = 0; i < 3; ++i) testing::put_contents(at("in" + std::to_string(i)), stream_of(i));
      },
      [&] {
        pack(at("b.sion"), {at("in0"), at("in1"), at("in2")}, repacking());
      },
      same_as_clean("b.sion"));
}

TEST_F(FlippedMultifile, UnpackIsRightOrFails) {
  std::map<std::string, std::string> names_;
  at_every_read([&] { put_checkpoint(); }, [&] { unpack(at("a.sion"), at("out"), repacking()); },
                [&]() -> std::string {
                  std::string all;
                  for (const std::string& name : testing::files_in(at("out"))) {
                    all += name + same_as_clean("out/" + name)() + " ";
                  }
                  const auto [expected, is_new] = names_.try_emplace("out", all);
                  return expected->second == all ? "" : all;
                });
}

TEST_F(FlippedMultifile, DefragmentOfAPlainOneIsRightOrFails) {
  at_every_read(
      [&] {
        for (std::int64_t i = 0; i < 3; ++i) testing::put_contents(at("in" + std::to_string(i)), stream_of(i));
        pack(at("a.sion"), {at("in0"), at("in1"), at("in2")}, repacking());
      },
      [&] { defragment(at("a.sion"), at("b.sion"), repacking()); }, same_as_clean("b.sion"));
}

// --- Records and formats ------------------------------------------------------------------------------------------

TEST_F(FlippedMultifile, ExtractedTextsAreRightOrFail) {
  at_every_read([&] { put_gauge("a.ildg"); },
                [&] { extract(at("a.ildg"), "ildg-format", 0, at("b.xml"), repacking()); }, same_as_clean("b.xml"));
}

TEST_F(FlippedMultifile, ExtractedDataAreRightOrFail) {
  at_every_read([&] { put_gauge("a.ildg"); },
                [&] { extract(at("a.ildg"), "ildg-binary-data", 0, at("b.dat"), repacking()); },
                same_as_clean("b.dat"));
}

class FlippedConversion : public FlippedRead,
                          public ::testing::WithParamInterface<std::pair<std::string, std::string>> {
 protected:
  void try_out(const std::string& from, const std::string& to) {
    ConvertOptions options;
    options.write.overwrite = true;
    options.write.time_stamps = !to.ends_with(".h5");
    options.write.sync = Sync::none;
    options.allow_loss = true;
    const Problem bytes = same_as_clean(to), numbers = same_links(to);
    at_every_read(
        [&] {
          put_gauge(from, {.metadata = from.ends_with("ildg") ? Metadata{{"xlf-info", "kept"}} : Metadata{}});
        },
        [&] { convert(at(from), at(to), {}, options); }, [&] { return bytes() + numbers(); });
  }
};

TEST_P(FlippedConversion, IsRightOrFails) { try_out(GetParam().first, GetParam().second); }

TEST_F(FlippedConversion, OfAFileOverItselfIsRightOrFails) { try_out("a.ildg", "a.ildg"); }

using FromTo = std::pair<std::string, std::string>;
INSTANTIATE_TEST_SUITE_P(
    Formats, FlippedConversion,
    ::testing::Values(FromTo{"a.ildg", "b.scidac"}, FromTo{"a.nersc", "b.ildg"}, FromTo{"a.ildg", "b.milc"},
                      FromTo{"a.openqcd", "b.ildg"}, FromTo{"a.openqcd", "b.openqcd"}, FromTo{"a.milc", "b.ildg"},
                      FromTo{"a.fnal", "b.ildg"}, FromTo{"a.hirep", "b.ildg"}, FromTo{"a.field", "b.scidac"},
                      FromTo{"a.raw", "b.ildg"}, FromTo{"a.ddalphaamg", "b.ildg"}, FromTo{"a.scidac", "b.raw"},
                      FromTo{"a.sqz", "b.ildg"}, FromTo{"a.ildg", "b.hirep"}, FromTo{"a.ildg", "b.nersc"},
                      FromTo{"a.scidac", "b.openqcd"}, FromTo{"a.nersc", "b.ddalphaamg"}, FromTo{"a.ildg", "b.field"}
#ifdef LQ_HAVE_HDF5
                      ,
                      FromTo{"a.ildg", "b.h5"}, FromTo{"a.h5", "b.ildg"}
#endif
                      ),
    [](const auto& of) { return of.param.first.substr(2) + "_to_" + of.param.second.substr(2); });

// --- Mending ------------------------------------------------------------------------------------------------------

class FlippedRepair : public FlippedRead, public ::testing::WithParamInterface<std::string> {
 protected:
  static RepackOptions repairing() {
    RepackOptions options;
    options.sync = Sync::none;
    options.threads = 1;
    return options;
  }
  void put_damaged(std::size_t at) {
    bytes_ = contents(this->at(GetParam()));
    std::string bad = bytes_;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    testing::put_contents(this->at(GetParam()), bad);
  }
  Problem same_as_before() {
    return [this] { return contents(at("repaired")) == bytes_ ? "" : "another file"; };
  }
};

// A letter of a type, and a byte of the data.
TEST_P(FlippedRepair, ByItsSumsIsRightOrFails) {
  for (const std::size_t place : {std::size_t{16}, std::size_t{12000}}) {
    if (!GetParam().ends_with("ildg")) GTEST_SKIP() << "its sum is weak";
    clear();
    at_every_read([&] { put_gauge(GetParam()), put_damaged(place); },
                  [&] { repair(at(GetParam()), at("repaired"), repairing()); }, same_as_before());
  }
}

TEST_P(FlippedRepair, FromParityIsRightOrFails) {
  at_every_read(
      [&] {
        put_gauge(GetParam());
        protect({at(GetParam())}, {}, {.sync = Sync::none});
        put_damaged(9000);
      },
      [&] { repair(at(GetParam()), at("repaired"), repairing()); }, same_as_before());
}

TEST_P(FlippedRepair, ProtectingIsRightOrFails) {
  at_every_read([&] { put_gauge(GetParam()); }, [&] { protect({at(GetParam())}, {}, {.sync = Sync::none}); },
                [&] { return protect({at(GetParam())}, {}, {.check = true}).ok ? "" : "another sidecar"; });
}

// Most bytes are read once for the parity and proven by the checksum, where there is one.
TEST_P(FlippedRepair, WritingWithParityIsRightOrFails) {
  at_every_read([] {}, [&] { put_gauge(GetParam(), {.protect = "10%"}); },
                [&] { return protect({at(GetParam())}, {}, {.check = true}).ok ? "" : "another sidecar"; });
}

INSTANTIATE_TEST_SUITE_P(Formats, FlippedRepair, ::testing::Values("a.ildg", "a.nersc"),
                         [](const auto& of) { return of.param.substr(2); });

// --- Modes and sessions -------------------------------------------------------------------------------------------

class FlippedModes : public FlippedRead {
 protected:
  static std::vector<double> vector(double factor, std::size_t numbers = 24) {
    std::vector<double> values = testing::formula_sites<double>(Grid(lattice), numbers);
    for (double& value : values) value *= factor;
    return values;
  }
  void put_modes(int spins = 4) {
    modes::Description description;
    description.lattice = lattice;
    description.site = {FieldKind::spinor, 3, spins, 0, 6U * static_cast<std::uint64_t>(spins)};
    modes::Writer writer(at("a.modes"), Grid(lattice), description, {.sync = Sync::none});
    for (const double k : {1.0, 2.0}) {
      const std::vector<double> values = vector(k, 6U * static_cast<std::size_t>(spins));
      writer.append(spinor(values, {.spins = spins}), {.eigenvalue = k});
    }
  }
  // How many modes there are, all of them right; -1: something is wrong.
  int modes_of(const std::string& name) {
    int count = 0;
    const Error error = error_of([&] {
      const modes::Set set(at(name));
      for (std::uint64_t k = 0; k < set.size(); ++k) {
        std::vector<double> values(vector(1).size());
        set.read(k, Grid(lattice), spinor(values));
        const double factor = static_cast<double>(k) + 1;
        if (values != vector(factor) || set.mode(k).eigenvalue != factor) throw Error(Code::internal, "other numbers");
        ++count;
      }
    });
    return error.code() == Code::ok ? count : -1;
  }
};

TEST_F(FlippedModes, ConversionIsRightOrFails) {
  at_every_read([&] { put_modes(); }, [&] { modes::convert(at("a.modes"), at("b.modes")); },
                [&] { return modes_of("b.modes") == 2 ? "" : "other modes"; });
}

TEST_F(FlippedModes, ConversionForOthersIsRightOrFails) {
  for (const std::string format : {"quda", "milc", "grid", "mod"}) {
    SCOPED_TRACE(format);
    modes::ConvertOptions options;
    options.format = format;
    clear();
    const int spins = format == "milc" || format == "mod" ? 1 : 4;  // these hold staggered vectors
    at_every_read([&] { put_modes(spins); }, [&] { modes::convert(at("a.modes"), at("b"), {}, options); },
                  same_as_clean("b"));
  }
}

TEST_F(FlippedModes, AppendIsRightOrFails) {
  may_change("a.modes");
  at_every_read([&] { put_modes(); },
                [&] {
                  modes::Writer writer(at("a.modes"), Grid(lattice), {.sync = Sync::none});
                  writer.append(spinor(vector(3)), {.eigenvalue = 3});
                },
                [&] { return modes_of("a.modes") == 3 ? "" : "other modes"; },
                [&] { return modes_of("a.modes") >= 2 ? "" : "lost modes"; });
}

#ifdef LQ_HAVE_HDF5
TEST_F(FlippedModes, SessionsAreRightOrFail) {
  may_change("a.h5");
  const auto first = [&] {
    hdf5::File file(at("a.h5"));
    return file.read("/first").reals() == std::vector<double>(100, 1.5);
  };
  const auto has_both = [&]() -> std::string {
    std::string problem;
    const Error error = error_of([&] {
      hdf5::File file(at("a.h5"));
      if (!first() || file.read("/second").integer() != 3) problem = "another object";
      std::vector<double> values(vector(1).size());
      file.read("/field", Grid(lattice), spinor(values));
      if (values != vector(4)) problem = "another field";
    });
    return problem + (error.code() == Code::ok ? "" : error.what());
  };
  at_every_read(
      [&] {
        hdf5::File file(at("a.h5"), hdf5::Mode::create);
        file.write("/first", std::vector<double>(100, 1.5));
        file.close();
      },
      [&] {
        hdf5::File file(at("a.h5"), hdf5::Mode::append);
        file.write("/second", 3);
        file.write("/field", Grid(lattice), spinor(vector(4)));
        file.close();
      },
      has_both,
      [&]() -> std::string {
        std::string problem;
        const Error error = error_of([&] { problem = first() ? "" : "another object"; });
        return problem + (error.code() == Code::ok ? "" : error.what());
      });
}
#endif

}  // namespace
}  // namespace lq
