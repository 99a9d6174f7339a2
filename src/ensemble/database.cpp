// Copyright (c) 2026 The Limequat authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/database.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include <fmt/format.h>
#include <limequat/error.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace lq::ensemble {
namespace {

constexpr int patience = 5000;  // milliseconds

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = base::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

// --- statements ------------------------------------------------------------------------------------------------

void Statement::Finalize::operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }

Statement::Statement(const Database& database, std::string_view sql) : database_(&database) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()), &made, nullptr);
  statement_.reset(made);
  require(code);
}

void Statement::require(int code) const {
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

void Statement::bind_at(int number, std::nullptr_t) { require(sqlite3_bind_null(statement_.get(), number)); }
void Statement::bind_at(int number, std::int64_t value) {
  require(sqlite3_bind_int64(statement_.get(), number, value));
}
void Statement::bind_at(int number, std::uint64_t value) { bind_at(number, static_cast<std::int64_t>(value)); }
void Statement::bind_at(int number, double value) { require(sqlite3_bind_double(statement_.get(), number, value)); }

void Statement::bind_at(int number, std::string_view value) {
  if (is_utf8(value) && value.find('\0') == std::string_view::npos) {
    require(sqlite3_bind_text64(statement_.get(), number, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  } else {
    require(sqlite3_bind_blob64(statement_.get(), number, value.data(), value.size(), SQLITE_TRANSIENT));
  }
}

void Statement::bind_at(int number, const Value& value) {
  std::visit([&](const auto& held) { bind_at(number, held); }, value);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(statement_.get());
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
std::int64_t Statement::whole(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int length = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

std::optional<double> Statement::optional_real(int column) const {
  return is_null(column) ? std::nullopt : std::optional(real(column));
}
std::optional<std::int64_t> Statement::optional_whole(int column) const {
  return is_null(column) ? std::nullopt : std::optional(whole(column));
}

// --- the file --------------------------------------------------------------------------------------------------

void Database::Close::operator()(sqlite3* handle) const noexcept { sqlite3_close_v2(handle); }

Database::Database(const std::string& path, Opening opening) : path_(path) {
  const int creates = opening == Opening::existing ? 0 : SQLITE_OPEN_CREATE;
  open(opening == Opening::in_memory ? ":memory:" : path_.c_str(), SQLITE_OPEN_READWRITE | creates);
  if (opening != Opening::in_memory) {
    std::error_code failure;
    const std::filesystem::path own = std::filesystem::canonical(path_, failure);
    if (!failure) *paths_ = Paths(own.parent_path().string());
    try_locks(opening);
  }
  sqlite3_busy_timeout(handle_.get(), patience);
}

void Database::open(const char* name, int flags) {
  sqlite3* made = nullptr;
  const int code = sqlite3_open_v2(name, &made, flags, nullptr);
  handle_.reset(made);
  if (made == nullptr) throw std::bad_alloc();
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(made, 1);
  add_functions();
}

namespace {

// SQLite reports a file system without locks like a file locked by another process; errno shows the difference.
bool lacks_locks(int code, int reason) noexcept {
  const bool is_busy = (code & 0xff) == SQLITE_BUSY;
  return code == SQLITE_IOERR_LOCK || code == SQLITE_IOERR_RDLOCK ||
         (is_busy && (reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP));
}

}  // namespace

// Without locks the file is read as one that is not being written to, unless there are signs of a writer.
void Database::try_locks(Opening opening) {
  errno = 0;
  const int code = sqlite3_exec(handle_.get(), "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
  if (!lacks_locks(code, errno)) return;
  has_locks_ = false;
  std::error_code failure;
  const bool is_written = std::filesystem::file_size(path_ + "-journal", failure) > 0 && !failure;
  if (opening == Opening::create || is_written) fail(SQLITE_READONLY);
  std::string name = "file:";
  for (const char c : std::filesystem::absolute(path_, failure).string()) {
    name +=
        c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  open((name + "?immutable=1").c_str(), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

namespace {

// One argument in, one result out, both texts, or blobs if they are not UTF-8; NULL stays NULL.
void put_result(sqlite3_context* context, const std::string& path) {
  if (is_utf8(path)) {
    sqlite3_result_text64(context, path.data(), path.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_result_blob64(context, path.data(), path.size(), SQLITE_TRANSIENT);
  }
}

template <class Change>
void change_path(sqlite3_context* context, sqlite3_value* argument, const Change& change) noexcept {
  const void* const bytes = sqlite3_value_blob(argument);
  if (bytes == nullptr) return sqlite3_result_value(context, argument);
  try {
    const std::string_view path(static_cast<const char*>(bytes),
                                static_cast<std::size_t>(sqlite3_value_bytes(argument)));
    put_result(context, change(*static_cast<const Paths*>(sqlite3_user_data(context)), path));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

extern "C" {
static void lq_sql_full_path(sqlite3_context* context, int, sqlite3_value** arguments) {
  change_path(context, arguments[0], [](const Paths& paths, std::string_view path) { return paths.full(path); });
}
static void lq_sql_kept_path(sqlite3_context* context, int, sqlite3_value** arguments) {
  change_path(context, arguments[0], [](const Paths& paths, std::string_view path) { return paths.kept(path); });
}
static void lq_sql_is_below(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto text = [](sqlite3_value* value) {
    const void* const bytes = sqlite3_value_blob(value);
    return std::string_view(static_cast<const char*>(bytes),
                            bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(value)));
  };
  sqlite3_result_int(context, is_below(text(arguments[0]), text(arguments[1])) ? 1 : 0);
}
}

}  // namespace

void Database::add_functions() {
  const auto add = [&](const char* name, int arguments, void (*function)(sqlite3_context*, int, sqlite3_value**)) {
    const int code = sqlite3_create_function_v2(handle_.get(), name, arguments, SQLITE_UTF8, paths_.get(), function,
                                                nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
  };
  add("full_path", 1, lq_sql_full_path);
  add("kept_path", 1, lq_sql_kept_path);
  add("is_below", 2, lq_sql_is_below);
}

bool Database::is_writable() const {
  const char* file = sqlite3_db_filename(handle_.get(), "main");
  if (file == nullptr || *file == '\0') return true;
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return sqlite3_db_readonly(handle_.get(), "main") == 0 && ::access(folder.c_str(), W_OK) == 0;
}

Database Database::in_memory() const {
  Database copy(path_, Opening::in_memory);
  *copy.paths_ = *paths_;
  sqlite3_backup* const backup = sqlite3_backup_init(copy.handle_.get(), "main", handle_.get(), "main");
  if (backup == nullptr) copy.fail(sqlite3_errcode(copy.handle_.get()));
  sqlite3_backup_step(backup, -1);
  if (const int code = sqlite3_backup_finish(backup); code != SQLITE_OK) fail(code);
  return copy;
}

std::string Database::contents() const {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
      sqlite3_serialize(handle_.get(), "main", &size, 0), &sqlite3_free);
  if (!bytes) throw std::bad_alloc();
  return std::string(reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size));
}

void Database::run(const char* sql) const {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::whole(std::string_view sql) const {
  Statement statement = prepare(sql);
  return statement.step() ? statement.whole(0) : 0;
}

std::int64_t Database::changes() const noexcept { return sqlite3_changes64(handle_.get()); }

namespace {

// SQLite reports errno of its last call of the system, which need not be the one that failed.
bool says_why(int reason) noexcept {
  return reason == EIO || reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EROFS ||
         reason == EACCES || reason == EPERM || reason == ESTALE || reason == EMFILE || reason == ENFILE;
}

bool has_folder(const std::string& path) {
  std::error_code failure;
  return std::filesystem::is_directory(std::filesystem::absolute(path, failure).parent_path(), failure);
}

}  // namespace

void Database::fail(int code) const {
  const std::string reason = sqlite3_errmsg(handle_.get());
  const int system_errno = sqlite3_system_errno(handle_.get());
  const auto error = [&](Code kind, const std::string& sentence) {
    return Error(kind, fmt::format("{}: {}", path_, sentence), {.path = path_, .system_errno = system_errno});
  };
  if (!has_locks_ && ((code & 0xff) == SQLITE_READONLY || (code & 0xff) == SQLITE_BUSY)) {
    throw error(
        Code::io,
        "the file system of the catalogue has no locks: the catalogue can be read while no program writes to it, "
        "but not written to; keep it on another file system: `lq index DIR --db FILE`");
  }
  if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY) {
    throw error(Code::no_permission,
                "the last writer of the catalogue was interrupted; its partial changes must be undone first: run `lq "
                "index` as a user who may write to it");
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw error(Code::io, "the catalogue is locked: another process is writing to it; try again when it has ended");
    case SQLITE_NOTADB:
      throw error(Code::malformed, "this is not an SQLite database, or it is encrypted; name another file");
    // The statements fit the tables that Limequat creates: if they fail, the tables were changed by another program.
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_SCHEMA:
    case SQLITE_CORRUPT:
      throw error(
          Code::malformed,
          fmt::format(
              "the catalogue is damaged ({}): move it away and index again; the history of verifications is lost",
              reason));
    case SQLITE_FULL:
      throw error(Code::no_space, "no space left for the catalogue; free some, or choose another place for it");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw error(Code::no_permission,
                  "no permission to write to the catalogue or its folder; `lq index DIR --db FILE` makes one of "
                  "your own");
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_CANTOPEN:
      // What cannot be opened for writing is tried for reading, so that the reason for every new file, such as a
      // journal, is that there is none.
      if (!says_why(system_errno) && has_folder(path_)) {
        throw error(Code::io, fmt::format("cannot open the catalogue or its journal: {}", reason));
      }
      throw base::errno_error(path_, "open the catalogue or its journal", system_errno != 0 ? system_errno : ENOENT);
    case SQLITE_IOERR:
      if (code == SQLITE_IOERR_NOMEM) throw std::bad_alloc();
      if (says_why(system_errno)) throw base::errno_error(path_, "read or write the catalogue", system_errno);
      throw error(Code::io, fmt::format("cannot read or write the catalogue: {}", reason));
    default:
      throw error(Code::internal, fmt::format("SQLite reports an error of the catalogue: {}", reason));
  }
}

Transaction::~Transaction() {
  if (!is_open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (...) {
    // The failed statement has ended the transaction already.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  is_open_ = false;
}

}  // namespace lq::ensemble
