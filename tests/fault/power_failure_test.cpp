// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The power fails at any moment of an operation that writes. Claim: in every state that a journaling file system may
// leave (support/power_failure.hpp), whoever opens the file sees what it was before or what it was to become, at once
// or after a repair that says so; after the operation has returned, what it was to become.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <limequat/limequat.hpp>
#include <limequat/modes.hpp>
#include <limequat/multifile.hpp>
#include <limequat/staging.hpp>

#include "io/journal.hpp"
#include "io/replacement.hpp"
#include "support/error_of.hpp"
#include "support/file_contents.hpp"
#include "support/formula_field.hpp"
#include "support/power_failure.hpp"
#include "support/scratch_directory.hpp"
#include "support/streams.hpp"
#include "support/thread_comm.hpp"

namespace lq {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::run_ranks;

enum class Seen { nothing, before, after, wrong };
std::ostream& operator<<(std::ostream& out, Seen seen) {
  constexpr std::array<const char*, 4> words{"nothing", "what was there before", "what was to be there", "a mixture"};
  return out << words.at(static_cast<std::size_t>(seen));
}

class PowerFailure : public ::testing::Test {
 protected:
  PowerFailure() { fs::create_directory(folder_); }

  std::uint64_t least_states_ = 6;
  std::string at(const std::string& name) const { return folder_ + "/" + name; }

  // What `look` may see while `work` is done. Few words of many wrong states.
  template <class Work, class Look>
  void replay(Seen before, Work work, Look look, testing::Caches caches = testing::Caches::of_the_machine) {
    const testing::PowerFailures failures(folder_);
    testing::RecordingTransport recording(storage::posix());
    {
      const storage::Mount mount(folder_, recording);
      work();
    }
    ASSERT_EQ(look(), Seen::after);
    int wrong = 0;
    bool was_before = false;
    const std::uint64_t states =
        failures.for_each(recording.operations(), caches, [&](const std::string& which, bool is_done) {
          Seen seen = Seen::wrong;
          const Error error = error_of([&] { seen = look(); });
          was_before = was_before || seen == before;
          if (seen == Seen::after || (seen == before && !is_done)) return;
          if (++wrong <= 3) ADD_FAILURE() << which << ": " << seen << "; " << error.what();
        });
    EXPECT_EQ(wrong, 0) << "of " << states << " states";
    EXPECT_GE(states, least_states_);
    EXPECT_TRUE(was_before);
    RecordProperty("states", static_cast<int>(states));
  }

  static std::vector<double> sites(double shift, std::uint64_t numbers) {
    std::vector<double> values = testing::formula_sites<double>(Grid(lattice), numbers);
    for (double& value : values) value += shift;
    return values;
  }
  // Formats without a magic are known by their links.
  static std::vector<double> links(std::uint64_t seed) {
    std::vector<double> values(static_cast<std::size_t>(volume(lattice) * 72));
    generate(Grid(lattice), gauge(values), {.beta = 6, .sweeps = 1, .seed = seed});
    return values;
  }
  static void put_field(const std::string& path, std::uint64_t seed, WriteOptions options = {}) {
    options.overwrite = true;
    write(path, Grid(lattice), gauge(links(seed)), options);
  }
  static Seen look_at_field(const std::string& path) {
    if (!fs::exists(path)) return Seen::nothing;
    std::vector<double> values(links(1).size());
    read(path, Grid(lattice), gauge(values));
    return values == links(1) ? Seen::before : values == links(2) ? Seen::after : Seen::wrong;
  }

  static inline const Extents lattice{2, 2, 2, 4};
  testing::ScratchDirectory directory_;
  const std::string folder_ = directory_ / "run";
};

class PowerFailureOfAField : public PowerFailure, public ::testing::WithParamInterface<const char*> {};

TEST_P(PowerFailureOfAField, NewOne) {
  replay(
      Seen::nothing, [&] { put_field(at(GetParam()), 2); }, [&] { return look_at_field(at(GetParam())); });
}

TEST_P(PowerFailureOfAField, InPlaceOfAnother) {
  put_field(at(GetParam()), 1);
  replay(
      Seen::before, [&] { put_field(at(GetParam()), 2); }, [&] { return look_at_field(at(GetParam())); });
}

INSTANTIATE_TEST_SUITE_P(Of, PowerFailureOfAField,
                         ::testing::Values("a.ildg", "a.scidac", "a.nersc"
#ifdef LQ_HAVE_HDF5
                                           ,
                                           "a.h5"
#endif
                                           ),
                         [](const auto& of) { return std::string(of.param).substr(2); });

// Files keep their inodes and times over a power failure, which those of a state that is built anew do not have: the
// record gets those of the files that are there.
void keep_identities(const std::string& first) {
  const std::string path = io::replacement_path(first);
  if (!fs::exists(path)) return;
  auto record = io::decode_replacement(base::as_bytes(testing::contents(path)), path);
  if (!record) return;
  for (io::Replacement::Member& member : record->members) {
    const std::string& there = fs::exists(member.from) ? member.from : member.to;
    if (!fs::exists(there)) continue;
    const storage::Identity now = storage::posix().identity(there);
    if (now.bytes == member.made.bytes) member.made = now;
    if (member.before && &there == &member.from && fs::exists(member.to)) {
      member.before = storage::posix().identity(member.to);
    }
  }
  testing::put_contents(path, std::string(base::as_text(io::encode_replacement(*record))));
}

TEST_F(PowerFailure, OfANewFieldInSeveralFiles) {
  const auto look = [&](const std::string& first) {
    keep_identities(first);
    return look_at_field(first);
  };
  replay(
      Seen::nothing, [&] { put_field(at("a.raw"), 2); }, [&] { return look(at("a.raw")); });
  replay(
      Seen::nothing, [&] { put_field(at("a.openqcd"), 2, {.parts = "1x1x1x2"}); },
      [&] { return look(at("a.openqcd_b0")); });
}

TEST_F(PowerFailure, WhileAModeIsAdded) {
  const std::string path = at("low.modes");
  const auto vector = [](double k) { return sites(k, 24); };
  const auto put_two = [&] {
    fs::remove(path);
    modes::Description description;
    description.lattice = lattice;
    description.storage = modes::Storage::double_;
    description.room = 2;  // the third begins a new block of the index
    modes::Writer writer(path, Grid(lattice), description);
    for (int k = 0; k < 2; ++k) writer.append(spinor(vector(k)), {{static_cast<double>(k), 0}, 0});
  };
  const auto look = [&] {
    const modes::Set set(path);
    std::vector<double> values(vector(0).size());
    for (std::uint64_t k = 0; k < set.size(); ++k) {
      set.read(k, Grid(lattice), spinor(values));
      if (values != vector(static_cast<double>(k))) return Seen::wrong;
    }
    if (!modes::verify(path).ok || !verify(path).ok) return Seen::wrong;
    return set.size() == 2 ? Seen::before : set.size() == 3 ? Seen::after : Seen::wrong;
  };
  const auto look_and_go_on = [&] {
    const Seen seen = look();
    // Whoever goes on adds what is lacking.
    modes::Writer writer(path, Grid(lattice));
    for (std::uint64_t k = writer.size(); k < 3; ++k) writer.append(spinor(vector(2)), {{2, 0}, 0});
    return look() == Seen::after ? seen : Seen::wrong;
  };
  for (const int ranks : {1, 2}) {
    SCOPED_TRACE(::testing::Message() << ranks << " ranks");
    put_two();
    const auto add = [&](std::shared_ptr<comm::Comm> comm) {
      const Grid grid(Communicator(std::move(comm)), lattice);
      std::vector<double> values = testing::formula_sites<double>(grid, 24);
      for (double& value : values) value += 2;
      modes::Writer(path, grid).append(spinor(values), {{2, 0}, 0});
    };
    replay(
        Seen::before, [&] { run_ranks(ranks, add); }, look_and_go_on, testing::Caches::of_each_thread);
  }
}

class PowerFailureOfAJournal : public PowerFailure {
 protected:
  PowerFailureOfAJournal() { testing::put_contents(path_, old_); }

  std::string seen() const {
    const auto file = io::open_journaled(storage::posix(), path_);
    std::string text(static_cast<std::size_t>(file->size()), '?');
    text.resize(file->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
  }
  bool has_journal() const { return fs::exists(io::journal_path(path_)); }
  static std::vector<std::byte> bytes(std::string_view text) {
    const base::Bytes bytes = base::as_bytes(text);
    return {bytes.begin(), bytes.end()};
  }

  const std::string path_ = at("some.h5");
  const std::string old_ = "0123456789 and so on until the end.", more_ = "!and more";
};

// A journal that comes back would hide what other programs, which know of none, have added since.
TEST_F(PowerFailureOfAJournal, WhileAnAppendIsRecovered) {
  for (const bool is_complete : {false, true}) {
    SCOPED_TRACE(is_complete ? "complete" : "interrupted");
    least_states_ = is_complete ? 6 : 4;  // the latter cuts the file and removes the journal
    testing::put_contents(path_, old_);
    const io::FileState state = io::file_state(*storage::posix().open_read(path_));
    io::Journal journal{.bytes_before = state.bytes, .start_crc = state.start_crc};
    std::string expected = old_;
    if (is_complete) {
      expected = old_ + more_;
      for (const std::size_t offset : {3U, 20U}) {
        journal.pieces.push_back({offset, bytes(old_.substr(offset, 4)), bytes("WXYZ")});
        expected.replace(offset, 4, "WXYZ");
      }
      journal.is_complete = true;
      journal.bytes_after = expected.size();
    }
    testing::put_contents(path_, old_ + more_);
    testing::put_contents(io::journal_path(path_), std::string(base::as_text(io::encode_journal(journal))));
    replay(
        Seen::before, [&] { io::recover(storage::resolve(path_), path_, Sync::full, storage::WriterLock(path_)); },
        [&] {
          if (seen() != expected) return Seen::wrong;
          return has_journal() ? Seen::before : Seen::after;
        });
  }
}

TEST_F(PowerFailureOfAJournal, WhileAnAppendIsGivenUp) {
  replay(
      Seen::after,
      [&] {
        storage::Transport& transport = storage::resolve(path_);
        const auto file = transport.open_write(path_);
        io::Appending appending(transport, *file, Sync::full, storage::WriterLock(path_));
        appending.write({{0, 3, bytes("WXYZ")}, {0, old_.size(), bytes(more_)}});
      },
      [&] { return seen() == old_ ? Seen::after : Seen::wrong; });
}

#ifdef LQ_HAVE_HDF5
TEST_F(PowerFailure, OfASessionWithAnHdf5File) {
  const std::string path = at("data.h5");
  const std::vector<double> field = sites(0, 24), old(100, 1.0), fresh(50, 2.0);
  const auto append = [&] {
    hdf5::File file(path, hdf5::Mode::append);
    file.write("/new", fresh);
    file.write("/group/text", 7);
    file.remove("/group/x");
    file.close();
  };
  const auto append_field = [&] {
    hdf5::File file(path, hdf5::Mode::append);
    file.write("/field", Grid(lattice), spinor(field));
    file.close();
  };
  const auto look = [&] {
    hdf5::File file(path);
    if (file.read("/old").reals() != old) return Seen::wrong;
    if (file.exists("/field")) {
      std::vector<double> values(field.size());
      file.read("/field", Grid(lattice), spinor(values));
      return values == field ? Seen::after : Seen::wrong;
    }
    if (file.exists("/group/x")) return file.exists("/new") ? Seen::wrong : Seen::before;
    return file.read("/new").reals() == fresh && file.read("/group/text").integer() == 7 ? Seen::after : Seen::wrong;
  };
  const auto look_and_go_on = [&] {
    const Seen seen = look();
    hdf5::File file(path, hdf5::Mode::append);
    file.write("/more", 1);
    file.close();
    return look() == seen && hdf5::File(path).read("/more").integer() == 1 ? seen : Seen::wrong;
  };
  for (const bool of_a_field : {false, true}) {
    SCOPED_TRACE(of_a_field ? "field" : "objects");
    fs::remove(path);
    hdf5::File file(path, hdf5::Mode::create);
    file.write("/old", old);
    file.write("/group/x", 1.5);
    file.close();
    of_a_field ? replay(Seen::before, append_field, look_and_go_on) : replay(Seen::before, append, look_and_go_on);
  }
}
#endif

TEST_F(PowerFailure, OfACopyOverAnotherFile) {
  std::string bytes(5000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i / 7);
  testing::put_contents(directory_ / "from", bytes);
  testing::put_contents(at("to"), "old");
  const auto copy_again = [&](bool resume) {
    copy({directory_ / "from"}, at("to"), {}, {.resume = resume, .overwrite = true, .block_bytes = 1000});
  };
  replay(
      Seen::before, [&] { copy_again(false); },
      [&] {
        const std::string now = testing::contents(at("to"));
        copy_again(true);
        if (testing::contents(at("to")) != bytes) return Seen::wrong;
        return now == bytes ? Seen::after : now == "old" ? Seen::before : Seen::wrong;
      });
}

struct CheckpointShape {
  int ranks = 1, streams = 1, files = 1;  // streams of each rank
  std::uint64_t expected_bytes = 0;  // more than what is there: the table is cut off, and nothing comes to lie there
};

// Streams have what was written before and a beginning of what was to be written, all of it once the set was closed.
class PowerFailureOfACheckpoint : public PowerFailure, public ::testing::WithParamInterface<CheckpointShape> {
 protected:
  static constexpr std::uint64_t old_bytes = 3000, all_bytes = 7000;

  void put(std::uint64_t from, std::uint64_t to, std::uint64_t pieces = 1) const {
    run_ranks(GetParam().ranks, [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      const MultifileOptions options{.streams = GetParam().streams,
                                     .expected_bytes = GetParam().expected_bytes,
                                     .files = GetParam().files,
                                     .buffer_bytes = 1000};
      MultifileWriter writer =
          from > 0 ? MultifileWriter::append(path_, all, options) : MultifileWriter(path_, all, options);
      for (std::size_t i = 0; i < writer.streams(); ++i) {
        OutStream& stream = writer.stream(i);
        // In pieces: each is recorded in the chunk, in the place of the record before the last one.
        const std::uint64_t piece = (to - from) / pieces;
        for (std::uint64_t begin = from; begin < to; begin += piece) {
          stream.write(testing::stream_bytes(static_cast<std::uint64_t>(stream.task()), begin, piece));
          if (pieces > 1) stream.flush();
        }
      }
      writer.close();
    });
  }
  Seen look(Verify verify = Verify::checksum) const {
    const MultifileReader reader(path_, {}, {.verify = verify});
    std::uint64_t least = all_bytes;
    for (std::int64_t task = 0; task < reader.tasks(); ++task) {
      const auto bytes = reader.task(task).read_all();
      if (testing::first_wrong(bytes, static_cast<std::uint64_t>(task)) != bytes.size()) return Seen::wrong;
      if (bytes.size() < old_bytes) return Seen::wrong;
      least = std::min<std::uint64_t>(least, bytes.size());
    }
    return least == all_bytes ? Seen::after : Seen::before;
  }
  // After a repair of the set, whatever its files are called, all of these streams or not.
  Seen look_for(const std::vector<std::int64_t>& tasks) const {
    std::vector<std::string> names{path_};
    for (const auto& left : fs::directory_iterator(folder_)) names.push_back(left.path().string());
    for (const std::string& name : names) {
      if (error_of([&] { repair_multifile(name); }).code() == Code::ok) break;
    }
    if (!fs::exists(path_)) return Seen::before;
    const MultifileReader reader(path_, {}, {.verify = Verify::none});
    for (const std::int64_t task : tasks) {
      if (task >= reader.tasks()) return Seen::before;
      const auto bytes = reader.task(task).read_all();
      if (testing::first_wrong(bytes, static_cast<std::uint64_t>(task)) != bytes.size()) return Seen::wrong;
      if (bytes.size() != all_bytes) return Seen::before;
    }
    return Seen::after;
  }
  // A repair names what readers refuse afterwards. Only what was not finished of fields is lost to a sound set.
  bool is_told(const RepairReport& report) const {
    const bool has_lost_chunks =
        std::ranges::any_of(report.lost, [](const ChunkDamage& lost) { return lost.task >= 0; });
    return verify_multifile(path_).is_sound() ? !has_lost_chunks : !report.lost.empty();
  }
  // A set gets what it did not have. Of that a repaired one may have a part (`nothing`), or refuse it where the repair
  // said that it is lost.
  template <class Grow, class LookAtNew>
  void replay_growth(Grow grow, LookAtNew look_at_new) {
    const std::int64_t tasks = MultifileReader(path_).tasks();
    const auto has_old = [&] {
      const MultifileReader reader(path_);
      for (std::int64_t task = 0; task < tasks; ++task) {
        const std::vector<std::byte> old = testing::stream_bytes(static_cast<std::uint64_t>(task), 0, old_bytes);
        if (reader.task(task).read_all() != old) return false;
      }
      return true;
    };
    replay(
        Seen::before, [&] { run_ranks(GetParam().ranks, grow); },
        [&] {
          Seen seen = Seen::wrong;
          const auto look_at = [&] { seen = has_old() ? look_at_new(MultifileReader(path_)) : Seen::wrong; };
          if (error_of(look_at).code() == Code::ok) return seen;
          if (!is_told(repair_multifile(path_)) || !has_old()) return Seen::wrong;
          const bool is_read = error_of(look_at).code() == Code::ok;
          if (!is_read && verify_multifile(path_).is_sound()) return Seen::wrong;
          return is_read && seen == Seen::wrong ? Seen::wrong : Seen::before;
        },
        testing::Caches::of_each_thread);
  }

  const std::string path_ = at("set.sion");
};

TEST_P(PowerFailureOfACheckpoint, NewOne) {
  replay(
      Seen::nothing, [&] { put(0, all_bytes); },
      [&] {
        if (fs::exists(path_)) return look();
        for (const auto& left : fs::directory_iterator(folder_)) {
          RepairReport report;
          const Error error = error_of([&] { report = repair_multifile(left.path().string()); });
          if (error.code() == Code::ok) return is_told(report) ? Seen::nothing : Seen::wrong;
        }
        return Seen::nothing;
      },
      testing::Caches::of_each_thread);
}

TEST_P(PowerFailureOfACheckpoint, ThatIsGoneOnWith) {
  put(0, old_bytes);
  ASSERT_EQ(look(), Seen::before);
  replay(
      Seen::before, [&] { put(old_bytes, all_bytes); },
      [&] {
        Seen seen = Seen::wrong;
        const Error error = error_of([&] { seen = look(); });
        if (error.code() == Code::ok) return seen;
        if (!is_told(repair_multifile(path_))) return Seen::wrong;
        return look(Verify::none) == Seen::wrong ? Seen::wrong : Seen::before;
      },
      testing::Caches::of_each_thread);
}

TEST_P(PowerFailureOfACheckpoint, ThatIsGoneOnWithInPieces) {
  put(0, old_bytes);
  replay(
      Seen::before, [&] { put(old_bytes, all_bytes, GetParam().ranks > 1 ? 2 : 4); },
      [&] {
        Seen seen = Seen::wrong;
        const Error error = error_of([&] { seen = look(); });
        if (error.code() == Code::ok) return seen;
        if (!is_told(repair_multifile(path_))) return Seen::wrong;
        return look(Verify::none) == Seen::wrong ? Seen::wrong : Seen::before;
      });
}

// In a file of its own.
TEST_P(PowerFailureOfACheckpoint, ThatGetsATask) {
  put(0, old_bytes);
  const std::int64_t task = MultifileReader(path_).tasks();
  replay_growth(
      [&](std::shared_ptr<comm::Comm> comm) {
        const int more = comm->rank() + 1 == comm->size() ? 1 : 0;
        MultifileWriter writer = MultifileWriter::append(
            path_, Communicator(std::move(comm)), {.streams = GetParam().streams + more, .expected_bytes = 2000});
        if (more == 1) {
          writer.stream(writer.streams() - 1)
              .write(testing::stream_bytes(static_cast<std::uint64_t>(task), 0, all_bytes));
        }
        writer.close();
      },
      [&](const MultifileReader& reader) {
        if (reader.tasks() == task) return Seen::before;
        const auto bytes = reader.task(task).read_all();
        if (testing::first_wrong(bytes, static_cast<std::uint64_t>(task)) != bytes.size()) return Seen::wrong;
        return bytes.size() == all_bytes ? Seen::after : Seen::nothing;
      });
}

TEST_P(PowerFailureOfACheckpoint, ThatGetsItsFirstField) {
  put(0, old_bytes);
  const FieldSpec spec = generic_spec(Precision::double_, 2, false);
  const auto field_on = [](const Grid& grid) { return testing::formula_sites<double>(grid, 2); };
  const Extents extents{4, 6};
  replay_growth(
      [&](std::shared_ptr<comm::Comm> comm) {
        const Communicator all(std::move(comm));
        MultifileWriter writer = MultifileWriter::append(path_, all);
        const Grid grid(all, extents);
        const std::vector<double> values = field_on(grid);
        writer.write_field("field", grid, field_in(values, spec));
        writer.close();
      },
      [&](const MultifileReader& reader) {
        if (reader.fields().empty()) return Seen::before;
        std::vector<double> values(2 * volume(extents));
        reader.read_field("field", Grid(extents), field_in(values, spec));
        return values == field_on(Grid(extents)) ? Seen::after : Seen::wrong;
      });
}

// Once sync() has returned on all ranks: in a new set, and in the new file of one that is gone on with.
TEST_P(PowerFailureOfACheckpoint, WhoseStreamsWereSynced) {
  for (const bool appends : {false, true}) {
    SCOPED_TRACE(appends ? "gone on with" : "new");
    if (appends) put(0, old_bytes);
    const std::int64_t first = appends ? MultifileReader(path_).tasks() : 0;
    const int streams = GetParam().streams + (appends ? 1 : 0);
    std::vector<std::int64_t> tasks;
    std::mutex mutex;
    const auto synced = [&](std::shared_ptr<comm::Comm> comm) {
      const Communicator all(std::move(comm));
      const MultifileOptions options{.streams = streams, .expected_bytes = 2000, .files = GetParam().files};
      MultifileWriter writer =
          appends ? MultifileWriter::append(path_, all, options) : MultifileWriter(path_, all, options);
      for (std::size_t i = 0; i < writer.streams(); ++i) {
        OutStream& stream = writer.stream(i);
        if (stream.task() < first) continue;
        stream.write(testing::stream_bytes(static_cast<std::uint64_t>(stream.task()), 0, all_bytes));
        stream.sync();
        const std::lock_guard lock(mutex);
        tasks.push_back(stream.task());
      }
      all.barrier();
      // The power fails: nobody closes it.
    };
    replay(
        Seen::before, [&] { run_ranks(GetParam().ranks, synced); }, [&] { return look_for(tasks); },
        testing::Caches::of_each_thread);
    for (const auto& left : fs::directory_iterator(folder_)) fs::remove(left.path());
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PowerFailureOfACheckpoint,
                         ::testing::Values(CheckpointShape{1, 3, 1, 20'000}, CheckpointShape{3, 1, 1, 2000},
                                           CheckpointShape{3, 1, 2, 2000}),
                         [](const auto& of) {
                           return fmt::format("{}_ranks_{}_streams_{}_files", of.param.ranks, of.param.streams,
                                              of.param.files);
                         });

}  // namespace
}  // namespace lq
