// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/parity.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/byte_source.hpp"
#include "base/bytes.hpp"
#include "base/path.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/node.hpp"
#include "comm/team.hpp"
#include "engine/file_order.hpp"
#include "engine/transfer_stats.hpp"
#include "io/new_file.hpp"
#include "io/scan.hpp"
#include "kernels/xxh64.hpp"
#include "lattice/tiles.hpp"
#include "protection/encode.hpp"
#include "protection/sidecar.hpp"

namespace lq::io {

double parity_ratio(const std::string& asked) {
  const bool is_percent = asked.ends_with('%');
  const auto number = base::parse_double(std::string_view(asked).substr(0, asked.size() - (is_percent ? 1 : 0)));
  const double ratio = number ? *number / (is_percent ? 100 : 1) : 0;
  if (ratio >= 0.01 && ratio <= 1) return ratio;
  throw Error(Code::invalid_argument,
              fmt::format("parity is \"{}\", expected \"1%\" to \"100%\" of the size of the files, such as \"3%\"",
                          base::printable(asked)),
              {.expected = "1% to 100%", .found = asked});
}

// The format of a file is stored like a sum.
std::uint64_t key_of_format() noexcept { return kernels::xxh64(base::as_bytes("format")); }

std::vector<protection::OwnSum> own_sums(const Catalog& catalog) {
  constexpr std::size_t most_own_sums = 256;  // for files with thousands of fields the first ones are enough
  std::vector<protection::OwnSum> sums;
  if (catalog.format.empty()) return sums;
  sums.push_back({key_of_format(), kernels::xxh64(base::as_bytes(catalog.format))});
  for (std::size_t i = 0; i < catalog.fields.size(); ++i) {
    for (const lq::Sum& sum : catalog.fields[i].sums.all) {
      if (sums.size() == most_own_sums) return sums;
      const std::string key = fmt::format("{} {} {}", i, catalog.fields[i].name, to_string(sum.name));
      std::vector<std::byte> words;
      for (const std::uint32_t word : sum.words) base::append_le(words, word);
      sums.push_back({kernels::xxh64(base::as_bytes(key)), kernels::xxh64(words)});
    }
  }
  return sums;
}

namespace {

// The sum of the sites of a field that one thread has read.
struct SumOfRead {
  explicit SumOfRead(const Payload& of) : payload(of), stats(of, {{SumKind::scidac, SumOf::field}}), sums(of, stats) {}
  const Payload& payload;
  engine::TransferStats stats;
  engine::FileOrderSums sums;
};

// A file whose bytes are read once where the sum of a field will prove them, else twice. Each byte of it is requested
// once, so that each site is added once: by the read of its first byte.
class SummedFile final : public base::ByteSource {
 public:
  SummedFile(std::shared_ptr<base::ByteSource> file, SumOfRead& sum)
      : file_(std::move(file)), sum_(sum), end_of_site_(static_cast<std::size_t>(sum.payload.site_bytes())) {}
  const std::string& path() const noexcept override { return file_->path(); }
  std::uint64_t size() const override { return file_->size(); }

  std::size_t read_at(std::uint64_t offset, base::MutableBytes buffer) override {
    const std::uint64_t begin = sum_.payload.offset, end = begin + sum_.payload.length;
    constexpr std::uint64_t summed_bytes = 256 * base::kibi;  // still in cache when it is summed
    std::size_t done = 0;
    while (done < buffer.size()) {
      const std::uint64_t at = offset + done, left = buffer.size() - done;
      const bool is_in_field = at >= begin && at < end;
      const std::uint64_t most = is_in_field ? std::min(end - at, summed_bytes) : at < begin ? begin - at : left;
      const base::MutableBytes piece = buffer.subspan(done, static_cast<std::size_t>(std::min(most, left)));
      const std::size_t got = is_in_field ? read_sites(at, piece) : base::read_twice(*file_, at, piece);
      done += got;
      if (got < piece.size()) break;
    }
    return done;
  }

 private:
  // The end of a site that began in another read, whole sites, and the beginning of one that goes on after the piece.
  std::size_t read_sites(std::uint64_t offset, base::MutableBytes piece) {
    const std::size_t got = file_->read_at(offset, piece), site_bytes = end_of_site_.size();
    if (got < piece.size()) return got;
    const std::uint64_t first = (offset - sum_.payload.offset + site_bytes - 1) / site_bytes;
    const auto head = static_cast<std::size_t>(
        std::min<std::uint64_t>(first * site_bytes + sum_.payload.offset - offset, piece.size()));
    base::require_same_again(*file_, offset, piece.first(head));
    const std::size_t whole = (piece.size() - head) / site_bytes * site_bytes;
    sum_.sums.add(first, piece.subspan(head, whole));
    const base::Bytes rest = piece.subspan(head + whole);
    if (rest.empty()) return got;
    std::ranges::copy(rest, end_of_site_.begin());
    const base::MutableBytes missing = base::MutableBytes(end_of_site_).subspan(rest.size());
    if (file_->read_at(offset + got, missing) < missing.size()) return got - 1;  // the file ends within the field
    sum_.sums.add(first + whole / site_bytes, end_of_site_);
    return got;
  }

  std::shared_ptr<base::ByteSource> file_;
  SumOfRead& sum_;
  std::vector<std::byte> end_of_site_;
};

// The files of a sidecar for one thread: every byte is read twice and compared unless a sum proves it; nothing else
// proves the input of the parity. Of many files only a few are open at a time.
class ProvenFiles {
 public:
  ProvenFiles(const std::vector<std::string>& paths, const std::optional<FieldEntry>& proof) : paths_(paths) {
    if (proof) sum_ = std::make_unique<SumOfRead>(proof->payload);
  }
  base::ByteSource& operator()(std::size_t file) {
    if (const auto found = open_.find(file); found != open_.end()) return *found->second;
    constexpr std::size_t most_open = 70;
    if (open_.size() >= most_open) open_.clear();
    const std::string& path = paths_[file];
    std::shared_ptr<base::ByteSource> opened = storage::resolve(path).open_read(path);
    if (sum_) return *(open_[file] = std::make_unique<SummedFile>(std::move(opened), *sum_));
    return *(open_[file] = std::make_unique<base::ReadTwice>(std::move(opened)));
  }
  void add_to(engine::TransferStats& all) noexcept {
    if (sum_) all.add(sum_->stats);
  }

 private:
  const std::vector<std::string>& paths_;
  std::unique_ptr<SumOfRead> sum_;
  std::map<std::size_t, std::unique_ptr<base::ByteSource>> open_;
};

class ParityWriter {
 public:
  ParityWriter(const Communicator& communicator, const ParityRequest& request)
      : communicator_(communicator), comm_(communicator.engine()), request_(request) {}

  protection::Head run() {
    const comm::FromRoot bytes = comm::bytes_from_root(comm_, [&] {
      std::vector<std::byte> made = encode_head(planned());
      if (protection::decode_head(made)) return made;
      throw Error(Code::unsupported,
                  request_.sidecar +
                      ": these files cannot share one sidecar: one of them is outside its folder, is named "
                      "with `.` or `..`, or there are too many",
                  {.path = request_.sidecar});
    });
    comm::agree_alike(comm_, [&] {
      head_ = protection::decode_head(bytes.bytes()).value();
      paths_ = paths_of(head_, request_.sidecar);
      for (const protection::ProtectedPart& file : head_.files) total_ += file.bytes;
    });
    write_sidecar();
    return std::move(head_);
  }

 private:
  // At the root.
  protection::Head planned() const {
    std::vector<protection::ProtectedPart> parts;
    const std::string folder = base::folder_before(request_.sidecar);
    for (std::size_t i = 0; i < request_.paths.size(); ++i) {
      const std::string& path = request_.paths[i];
      if (!path.starts_with(folder)) {
        throw Error(Code::unsupported,
                    fmt::format("{}: it is outside the folder of {}, so one sidecar cannot protect both", path,
                                request_.sidecar),
                    {.path = path});
      }
      parts.push_back({.name = path.substr(folder.size()),
                       .bytes = request_.before[i].bytes,
                       .modified = request_.before[i].modified,
                       .sums = request_.sums[i]});
    }
    const int asked = request_.lost_files < 0 ? 2 : request_.lost_files;
    const auto lost = static_cast<std::uint32_t>(
        request_.is_set ? std::min<std::uint64_t>(static_cast<std::uint64_t>(asked), parts.size()) : 0);
    return protection::plan(std::move(parts), request_.ratio, lost);
  }

  // At the root.
  void require_unchanged() const {
    for (std::size_t i = 0; i < request_.paths.size(); ++i) {
      const std::string& path = request_.paths[i];
      const storage::Identity now = storage::resolve(path).open_read(path)->identity();
      if (storage::is_same_file(request_.before[i], now) && storage::is_unchanged(request_.before[i], now)) continue;
      throw Error(Code::io,
                  path +
                      ": the file changed while it was being protected. Stop the program that writes to it, then "
                      "repeat the command",
                  {.path = path});
    }
  }

  void write_sidecar() {
    std::optional<NewFile> made;
    std::optional<engine::TransferStats> passed;
    comm::agree_alike(comm_, [&] {
      if (request_.proof) {
        passed.emplace(request_.proof->payload, std::vector<SumName>{{SumKind::scidac, SumOf::field}});
      }
      made.emplace(storage::resolve(request_.sidecar), communicator_, request_.sidecar);
      made->keep_private(paths_.front());
      made->keep_other_data("a sidecar", "parity");
    });
    NewFile& file = *made;
    file.create(request_.overwrite, head_.sidecar_bytes());
    const storage::Owners owners = file.owners();
    const std::uint64_t writers = owners.writers(comm_.size(), 1);
    const auto rank = static_cast<std::uint64_t>(comm_.rank());
    file.open_for_writing(rank < writers);
    const int threads = comm::thread_count(comm_, request_.threads, total_);
    comm::agree(comm_, [&] {
      if (rank < writers) write_windows(file, lattice::share_of(head_.windows, writers, rank), threads, passed);
    });
    if (passed) require_proven(*passed);
    file.write([&] {
      require_unchanged();
      std::vector<format::Literal> literals;
      literals.push_back({0, 0, encode_head(head_)});
      literals.push_back({0, head_.second_head_at(), encode_head(head_)});
      literals.push_back({0, head_.second_head_at() + head_.head_bytes(), encode_end(head_)});
      return literals;
    });
    file.finish(owners.sync(request_.sync));
    comm::agree_at_root(comm_, [&] { read_back(file.temporary_path()); });
    file.publish(request_.sync);
  }

  // It may replace an intact one.
  void read_back(const std::string& path) const {
    const protection::Sidecar written(storage::resolve(path), path);
    if (written.damage(comm::count_or_cores(request_.threads)).empty()) return;
    throw Error(Code::checksum_mismatch,
                request_.sidecar +
                    ": the sidecar read back differs from the one written, and was removed; have the "
                    "storage examined",
                {.path = request_.sidecar});
  }

  // What was read is what was written, as the checksum says.
  void require_proven(engine::TransferStats& passed) const {
    passed.reduce(comm_);
    const FieldEntry& field = *request_.proof;
    if (passed.sums.total() == field.sums.checksum()) return;
    comm::agree_alike(comm_, [&] {
      throw Error(Code::checksum_mismatch,
                  fmt::format("{}: the data of \"{}\", read for the parity, have checksum {}, but {} was written: the "
                              "file is damaged or was read wrongly, and has no sidecar; `lq verify` shows which",
                              paths_.front(), base::printable(field.name), to_string(passed.sums.total()),
                              to_string(*field.sums.checksum())),
                  {.path = paths_.front(), .record = field.name, .offset = field.payload.offset});
    });
  }

  void write_windows(const NewFile& file, const lattice::Share& share, int threads,
                     std::optional<engine::TransferStats>& passed) const {
    comm::Team team(
        static_cast<int>(std::clamp<std::uint64_t>(share.end - share.begin, 1, static_cast<std::uint64_t>(threads))));
    std::vector<ProvenFiles> files;
    for (int thread = 0; thread < team.size(); ++thread) files.emplace_back(paths_, request_.proof);
    std::vector<std::unique_ptr<protection::WindowEncoder>> encoders(files.size());
    std::atomic<std::uint64_t> done{0};
    comm::parallel_for(team, share.end - share.begin, [&](int thread, std::uint64_t i) {
      const auto number = static_cast<std::size_t>(thread);
      if (!encoders[number]) {
        encoders[number] = std::make_unique<protection::WindowEncoder>(
            head_, [&open = files[number]](std::size_t one) -> base::ByteSource& { return open(one); });
      }
      protection::WindowEncoder& encoder = *encoders[number];
      const std::uint64_t window = share.begin + i;
      encoder.encode(window);
      const std::vector<std::byte> page = encode_page(encoder.page(), window);
      file.named([&] {
        file.file().write_at(head_.page_at(window, 0), page);
        file.file().write_at(head_.parity_at(window, 0, 0), encoder.parity());
        file.file().write_at(head_.page_at(window, 1), page);
      });
      const std::uint64_t now = done += encoder.bytes();
      if (thread == 0 && request_.tell) request_.tell(now);
    });
    for (ProvenFiles& of_thread : files) {
      if (passed) of_thread.add_to(*passed);
    }
  }

  const Communicator& communicator_;
  comm::Comm& comm_;
  const ParityRequest& request_;
  protection::Head head_;
  std::vector<std::string> paths_;
  std::uint64_t total_ = 0;
};

}  // namespace

protection::Head write_parity(const Communicator& communicator, const ParityRequest& request) {
  return ParityWriter(communicator, request).run();
}

std::vector<std::string> paths_of(const protection::Head& head, const std::string& sidecar) {
  std::vector<std::string> paths;
  for (const protection::ProtectedPart& part : head.files) paths.push_back(base::folder_before(sidecar) + part.name);
  return paths;
}

void require_protectable(storage::Transport& transport, const std::string& path, const WriteOptions& options) {
  if (options.protect.empty()) return;
  static_cast<void>(parity_ratio(options.protect));
  if (transport.kind(path) != storage::PathKind::absent) return;  // a whole folder's sidecar would lose them
  for (const std::string_view ending : {protection::parity_ending, protection::set_ending}) {
    require_target(transport, path + std::string(ending), options.overwrite);
  }
}

namespace {

// The largest field whose checksum proves contiguous bytes of the file.
std::optional<FieldEntry> proof_of(const Catalog& catalog) {
  const FieldEntry* largest = nullptr;
  for (const FieldEntry& field : catalog.fields) {
    const Payload& payload = field.payload;
    if (payload.length == 0 || payload.file != 0 || !payload.is_in_one_piece() || payload.arrays != 1 ||
        !payload.encoding.empty() || !field.sums.checksum() ||
        payload.length != payload.stored.volume() * payload.site_bytes()) {
      continue;
    }
    if (largest == nullptr || payload.length > largest->payload.length) largest = &field;
  }
  return largest == nullptr ? std::nullopt : std::optional(*largest);
}

}  // namespace

void protect_written(const Communicator& communicator, const std::vector<std::string>& paths,
                     const WriteOptions& options) {
  const std::string& path = paths.front();
  const auto requested = [&] {
    const auto scanned = ScannedFile::open(storage::resolve(path), path, communicator, {});
    return comm::agree(communicator.engine(), [&] {
      const Catalog& catalog = scanned->catalog();
      ParityRequest made{.paths = catalog.files.empty() ? paths : catalog.files,
                         .ratio = parity_ratio(options.protect),
                         .overwrite = true,
                         .sync = options.sync,
                         .threads = options.route.threads};
      made.is_set = made.paths.size() > 1;
      made.sidecar = made.paths.front() + std::string(made.is_set ? protection::set_ending : protection::parity_ending);
      made.sums.resize(made.paths.size());
      made.sums.front() = own_sums(catalog);
      if (!made.is_set) made.proof = proof_of(catalog);
      if (!communicator.is_root()) return made;
      for (const std::string& one : made.paths) {
        made.before.push_back(storage::resolve(one).open_read(one)->identity());
      }
      return made;
    });
  };
  try {
    write_parity(communicator, requested());
  } catch (const Error& error) {
    const bool is_doubtful = error.code() == Code::checksum_mismatch && !error.facts().record.empty();
    if (error.code() == Code::communication || is_doubtful) throw;
    comm::agree_alike(communicator.engine(), [&] {
      throw Error(error.code(),
                  fmt::format("{}. {} is complete, but has no sidecar with parity: protect it (`lq protect`)",
                              error.what(), path),
                  error.facts());
    });
  }
}

}  // namespace lq::io
