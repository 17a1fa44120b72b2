// Files that commands write, onto whatever stands in their place.
#include "bench/results/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/error.hpp"
#include "tests/support.hpp"

namespace {
// What happens where a temporary file is whole and has not taken its place.
std::atomic<int> signal_in_fsync = 0, error_in_fsync = 0;
}  // namespace

// In place of the C library's.
extern "C" int fsync(int) {
  if (signal_in_fsync) raise(signal_in_fsync);
  errno = error_in_fsync;
  return error_in_fsync ? -1 : 0;
}

namespace tallcache {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() {
    std::string name = (fs::temp_directory_path() / "tallcache.XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("cannot make a folder");
    folder_ = name;
  }
  ~OutputFile() override { fs::remove_all(folder_); }

  std::string at(const char* name) const { return (folder_ / name).string(); }
  std::string make(const char* name, const char* text, mode_t mode = 0644) const {
    std::ofstream(folder_ / name) << text;
    chmod(at(name).c_str(), mode);
    return at(name);
  }
  static std::string text_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static struct stat status_of(const std::string& path) {
    struct stat status {};
    lstat(path.c_str(), &status);
    return status;
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(OutputFile, ANewFileHasTheModeOfTheMask) {
  const mode_t mask = umask(027);
  write_text(at("new"), "text");
  umask(mask);
  EXPECT_EQ(text_of(at("new")), "text");
  EXPECT_EQ(status_of(at("new")).st_mode & 07777, 0640);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, AnOldFileIsReplacedAndKeepsItsModeAndOwner) {
  const std::string path = make("old", "longer than the new text", 0604);
  if (geteuid() == 0) {  // nobody else may give a file away
    ASSERT_EQ(chown(path.c_str(), 4321, 1234), 0);
    chmod(path.c_str(), 0604);
  }
  std::ifstream reader(path);
  const struct stat before = status_of(path);
  write_text(path, "text");
  const struct stat after = status_of(path);
  EXPECT_EQ(text_of(path), "text");
  EXPECT_NE(after.st_ino, before.st_ino);
  EXPECT_EQ(after.st_mode, before.st_mode);
  EXPECT_EQ(after.st_uid, before.st_uid);
  EXPECT_EQ(after.st_gid, before.st_gid);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "longer than the new text")
      << "whoever reads it has one or the other";
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, LinksStayAndTheirTargetIsWritten) {
  fs::create_directory(folder_ / "elsewhere");
  make("elsewhere/target", "old", 0600);
  fs::create_symlink("elsewhere/target", folder_ / "relative");
  fs::create_symlink(folder_ / "relative", folder_ / "twice");
  fs::create_symlink("elsewhere/none", folder_ / "dangling");
  fs::create_symlink("loop", folder_ / "loop");
  write_text(at("twice"), "new");
  write_text(at("dangling"), "made");
  EXPECT_TRUE(fs::is_symlink(folder_ / "twice") && fs::is_symlink(folder_ / "relative"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "dangling"));
  EXPECT_EQ(text_of(at("elsewhere/target")), "new");
  EXPECT_EQ(status_of(at("elsewhere/target")).st_mode & 07777, 0600);
  EXPECT_EQ(text_of(at("elsewhere/none")), "made");
  test::expect_error([&] { write_text(at("loop"), "x"); }, "Too many levels of symbolic links");
  EXPECT_EQ(files(), 5);
}

TEST_F(OutputFile, AllNamesOfAFileHaveTheNewText) {
  const std::string path = make("one", "longer than the new text");
  fs::create_hard_link(path, folder_ / "two");
  write_text(path, "text");
  EXPECT_EQ(text_of(at("two")), "text");
  EXPECT_EQ(status_of(path).st_ino, status_of(at("two")).st_ino);
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputFile, AFifoGetsTheTextOnce) {
  const std::string path = at("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(is_stream(path));
  require_writable(path);  // opens nothing: no reader is there
  std::string read;
  std::thread reader([&] { read = text_of(path); });
  write_text(path, "text");
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(S_ISFIFO(status_of(path).st_mode));
  EXPECT_EQ(files(), 1);
}

// Of devices of their own, in a folder: those of the system are nobody's to write to in a test.
TEST_F(OutputFile, DevicesStay) {
  const std::string null = at("null"), full = at("full");
  if (mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
      mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
    GTEST_SKIP() << "mknod is not permitted here";
  if (!std::ofstream(null)) GTEST_SKIP() << "devices in this folder cannot be opened";
  EXPECT_TRUE(is_stream(null));
  for (const std::string& path : {null, full}) require_writable(path);
  write_text(null, "text");
  test::expect_error([&] { write_text(full, "text"); }, full + ": No space left on device");
  EXPECT_TRUE(S_ISCHR(status_of(null).st_mode) && S_ISCHR(status_of(full).st_mode));
  EXPECT_EQ(files(), 2);
}

TEST_F(OutputFile, DescriptorsAreWrittenWhereTheyStand) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    const std::string path = folder + std::to_string(ends[1]);
    EXPECT_TRUE(is_stream(path));
    require_writable(path);
    write_text(path, "text");
    char read[8] = {};
    EXPECT_EQ(::read(ends[0], read, sizeof read), 4);
    EXPECT_STREQ(read, "text");
  }
  test::expect_error([&] { require_writable("/dev/fd/" + std::to_string(ends[0])); }, "Bad file descriptor");
  test::expect_error([&] { require_writable("/dev/fd/999"); }, "Bad file descriptor");
  // As a shell's > file, behind what is there.
  const std::string path = make("file", "");
  const int file = open(path.c_str(), O_WRONLY);
  ASSERT_EQ(write(file, "before ", 7), 7);
  write_text("/dev/fd/" + std::to_string(file), "text");
  EXPECT_EQ(text_of(path), "before text");
  for (const int descriptor : {ends[0], ends[1], file}) close(descriptor);
}

TEST_F(OutputFile, WhatCannotBeWrittenIsToldBeforehand) {
  for (const std::string& path : {at("."), folder_.string()})
    test::expect_error([&] { require_writable(path); }, "it is a folder");
  test::expect_error([&] { require_writable(at("none/file")); }, "No such file or directory");
  test::expect_error([&] { require_writable(make("file", "") + "/below"); }, "Not a directory");
  require_writable("");
  require_writable(at("new"));
  EXPECT_EQ(files(), 1);
}

// Root may write everywhere: it is another user for a while.
class Unprivileged {
 public:
  explicit Unprivileged(const fs::path& folder) {
    if (is_root_ && (chown(folder.c_str(), nobody, nobody) != 0 || seteuid(nobody) != 0))
      throw Error("root cannot be another user");
  }
  ~Unprivileged() {
    if (is_root_ && seteuid(0) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  static constexpr uid_t nobody = 65534;
  const bool is_root_ = geteuid() == 0;
};

TEST_F(OutputFile, WhatMayNotBeWrittenIsNotReplaced) {
  const Unprivileged user(folder_);
  const std::string path = make("protected", "old", 0444);
  test::expect_error([&] { require_writable(path); }, "Permission denied");
  test::expect_error([&] { write_text(path, "new"); }, "Permission denied");
  EXPECT_EQ(text_of(path), "old");
  // A file in a folder that takes no other one is overwritten.
  const std::string open = make("open", "older");
  chmod(folder_.c_str(), 0555);
  require_writable(open);
  write_text(open, "new");
  EXPECT_EQ(text_of(open), "new");
  test::expect_error([&] { require_writable(at("another")); }, "Permission denied");
  chmod(folder_.c_str(), 0755);
}

TEST_F(OutputFile, AFileOfAnotherOwnerStaysTheirs) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes a file of another owner";
  const std::string path = make("theirs", "an older text", 0666);
  ASSERT_EQ(chown(path.c_str(), 4321, 1234), 0);
  const Unprivileged user(folder_);
  write_text(path, "new");
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(status_of(path).st_uid, 4321);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, AnErrorLeavesTheOldFileAndNoOther) {
  const std::string path = make("old", "old");
  error_in_fsync = EIO;
  test::expect_error([&] { write_text(path, "new"); }, path + ": Input/output error");
  test::expect_error([&] { write_text(at("other"), "new"); }, "Input/output error");
  error_in_fsync = 0;
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(files(), 1);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 100, .rlim_max = before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  test::expect_error([&] { write_text(path, std::string(1000, 'x')); }, "File too large");
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, ASignalLeavesTheOldFileAndNoOther) {
  const std::string path = make("old", "old");
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          signal_in_fsync = number;
          write_text(path, "new");
        },
        testing::KilledBySignal(number), "");
    EXPECT_EXIT(  // one that says something and leaves is still asked
        {
          signal(number, [](int) { _exit(7); });
          signal_in_fsync = number;
          write_text(path, "new");
        },
        testing::ExitedWithCode(7), "");
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(files(), 1);
  }
  // As under nohup.
  signal(SIGHUP, SIG_IGN);
  signal_in_fsync = SIGHUP;
  write_text(path, "new");
  signal_in_fsync = 0;
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(signal(SIGHUP, SIG_DFL), SIG_IGN);
  EXPECT_EQ(signal(SIGINT, SIG_DFL), SIG_DFL);
}

TEST_F(OutputFile, WhatAKilledRunLeftIsClearedAway) {
  make("file.tallcache-4194305", "");  // no process has this number
  make("file.4194305", "somebody's");
  make("file.tallcache-4194305.json", "somebody's");
  make(("file.tallcache-" + std::to_string(getppid())).c_str(), "being written");
  require_writable(at("file"));
  EXPECT_FALSE(fs::exists(folder_ / "file.tallcache-4194305"));
  EXPECT_EQ(files(), 3);
}

}  // namespace
}  // namespace tallcache
