#include "bench/results/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/error.hpp"

namespace tallcache {
namespace {

namespace fs = std::filesystem;

// Of a chain, as the kernel follows them.
constexpr int max_links = 40;

constexpr std::string_view temporary_mark = ".tallcache-";

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  throw Error(fmt::format("cannot write {}: {}", path == "-" ? "standard output" : path, reason));
}
[[noreturn]] void cannot_write(const std::string& path, int error) {
  cannot_write(path, std::strerror(error));
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// The open file of this process that `path` names by its number.
std::optional<int> descriptor_named(const std::string& path) {
  const auto number = whole_number<int>(fs::path(path).filename().string());
  if (!number || *number < 0) return {};
  std::error_code error;
  const fs::path folder = fs::canonical(folder_of(path), error), own = fs::canonical("/proc/self/fd", error);
  if (error || folder != own) return {};
  return number;
}

// What a path leads to.
struct Target {
  std::string file;                 ///< behind all links
  std::optional<int> descriptor{};  ///< in place of a file
  bool exists = false;
  struct stat status {};

  bool is_regular() const { return !descriptor && (!exists || S_ISREG(status.st_mode)); }
};

Target target_of(const std::string& path) {
  Target target{.file = path};
  if (path == "-") target.descriptor = STDOUT_FILENO;
  for (int links = 0; !target.descriptor; ++links) {
    if ((target.descriptor = descriptor_named(target.file))) break;
    std::error_code is_no_link;
    const fs::path next = fs::read_symlink(target.file, is_no_link);
    if (is_no_link) break;
    if (links == max_links) cannot_write(path, ELOOP);
    target.file = (folder_of(target.file) / next).string();
  }
  if (target.descriptor) return target;
  target.exists = stat(target.file.c_str(), &target.status) == 0;
  if (!target.exists && errno != ENOENT) cannot_write(path, errno);
  if (target.exists && S_ISDIR(target.status.st_mode)) cannot_write(path, "it is a folder");
  return target;
}

// From here on functions return 0 or an error's number.

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// To the disk; some file systems know no such thing.
int synchronise(int descriptor) {
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? 0 : errno;
}

// Signals that end a program unless it does something about them.
constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
std::array<struct sigaction, ending_signals.size()> before;
// Of the one temporary file that there is at a time. Set while no handler is.
std::string doomed;

void remove_doomed(int signal) {
  unlink(doomed.c_str());
  for (std::size_t i = 0; i < ending_signals.size(); ++i)
    if (ending_signals[i] == signal) sigaction(signal, &before[i], nullptr);
  raise(signal);  // which ends the program, by its own handler or none, once this one returns
}

// A file beside another one. It takes its place, or goes: at the end of the scope, or with the program.
class Temporary {
 public:
  explicit Temporary(const std::string& file) {
    doomed = fmt::format("{}{}{}", file, temporary_mark, getpid());
    struct sigaction action {};
    action.sa_handler = remove_doomed;
    for (std::size_t i = 0; i < ending_signals.size(); ++i) {
      sigaction(ending_signals[i], nullptr, &before[i]);
      if (before[i].sa_handler != SIG_IGN) sigaction(ending_signals[i], &action, nullptr);
    }
    unlink(doomed.c_str());  // of a process that had this number and was killed
    descriptor_ = open(doomed.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    error_ = descriptor_ < 0 ? errno : 0;
  }
  ~Temporary() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!error_) unlink(doomed.c_str());
    for (std::size_t i = 0; i < ending_signals.size(); ++i)
      if (before[i].sa_handler != SIG_IGN) sigaction(ending_signals[i], &before[i], nullptr);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  /// Why there is none.
  int error() const { return error_; }

  /// Gives it the owner and the mode of the file that it is to replace.
  int resemble(const struct stat& old) const {
    struct stat own {};
    if (fstat(descriptor_, &own) != 0) return errno;
    const bool is_other = own.st_uid != old.st_uid || own.st_gid != old.st_gid;
    if (is_other && fchown(descriptor_, old.st_uid, old.st_gid) != 0) return errno;
    return fchmod(descriptor_, old.st_mode & 07777) == 0 ? 0 : errno;
  }

  int become(const std::string& file, std::string_view text) {
    if (const int error = write_all(descriptor_, text)) return error;
    if (const int error = synchronise(descriptor_)) return error;
    if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) return errno;
    return std::rename(doomed.c_str(), file.c_str()) == 0 ? 0 : errno;
  }

 private:
  int descriptor_, error_;
};

// A FIFO waits here for its reader.
int overwrite(const Target& target, std::string_view text) {
  const int descriptor = open(target.file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, text);
  if (target.is_regular()) {
    if (!error && ftruncate(descriptor, static_cast<off_t>(text.size())) != 0) error = errno;
    if (!error) error = synchronise(descriptor);
  }
  if (close(descriptor) != 0 && errno != EINTR && !error) error = errno;
  return error;
}

// Why an old file is not replaced where it could be overwritten: its folder, its owner, a mount upon it.
bool admits_none(int error) {
  return error == EACCES || error == EPERM || error == ENAMETOOLONG || error == EBUSY || error == EXDEV;
}

int replace(const Target& target, std::string_view text) {
  {
    Temporary file(target.file);
    int error = file.error();
    if (!error && target.exists) error = file.resemble(target.status);
    if (!error) error = file.become(target.file, text);
    if (!error || !target.exists || !admits_none(error)) return error;
  }
  return overwrite(target, text);
}

int write_to_descriptor(int descriptor, std::string_view text) {
  if (descriptor == STDOUT_FILENO && std::fflush(stdout) != 0) return errno;
  return write_all(descriptor, text);
}

// As the effective user, as open() has it.
int access_error(const Target& target) {
  return faccessat(AT_FDCWD, target.file.c_str(), W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

int descriptor_error(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return errno;
  return (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
}

// A run that was killed while it wrote leaves its temporary file behind.
void remove_leftovers(const fs::path& file) {
  const std::string prefix = file.filename().string() + std::string(temporary_mark);
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(file), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const auto writer = whole_number<pid_t>(std::string_view(name).substr(prefix.size()));
    if (writer && *writer > 0 && kill(*writer, 0) != 0 && errno == ESRCH) fs::remove(entry.path(), ignored);
  }
}

int write_to(const Target& target, std::string_view text) {
  if (target.descriptor) return write_to_descriptor(*target.descriptor, text);
  if (!target.exists) return replace(target, text);
  // What may not be written is not replaced, either.
  if (const int error = access_error(target)) return error;
  return target.is_regular() && target.status.st_nlink == 1 ? replace(target, text) : overwrite(target, text);
}

}  // namespace

void write_text(const std::string& path, std::string_view text) {
  if (const int error = write_to(target_of(path), text)) cannot_write(path, error);
}

void require_writable(const std::string& path) {
  if (path.empty()) return;
  const Target target = target_of(path);
  const int error = target.descriptor ? descriptor_error(*target.descriptor)
                    : target.exists   ? access_error(target)
                                      : Temporary(target.file).error();
  if (error) cannot_write(path, error);
  if (target.is_regular()) remove_leftovers(target.file);
}

bool is_stream(const std::string& path) { return !target_of(path).is_regular(); }

bool is_standard_output(const std::string& path) {
  return !path.empty() && target_of(path).descriptor == STDOUT_FILENO;
}

}  // namespace tallcache
