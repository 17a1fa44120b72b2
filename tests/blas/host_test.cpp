// The drop-in BLAS in a host's life: threads and memory that cannot be had, masks that change, OpenMP's
// regions.
#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blas/tallcache_blas.h"
#include "tests/blas/lapack.hpp"
#include "tests/blas/stand_ins.hpp"

namespace tallcache::test {
namespace {

// A product whose factors are both packed, with several blocks of the inner dimension, and a triangle.
constexpr Int m = 70, n = 150, k = 500;

struct Results {
  double c[m * n], triangle[m * m];
};

struct Input {
  std::vector<double> a = std::vector<double>(m * k), b = std::vector<double>(n * k);
  Input() {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<double>(i));
  }
};

void compute(const Input& input, Results& results) {
  for (double& x : results.c) x = 1;
  for (double& x : results.triangle) x = 1;
  cblas_dgemm(row_major, no, yes, m, n, k, 2, input.a.data(), k, input.b.data(), k, -1, results.c, n);
  cblas_dsyrk(row_major, lower, no, m, k, 2, input.a.data(), k, -1, results.triangle, m);
}

/// Against sums of the terms.
bool is_right(const Input& input, const Results& results) {
  const auto fault = [&](const std::vector<double>& b, Int i, Int j, double found) {
    long double sum = 0;
    for (Int l = 0; l < k; ++l) sum += static_cast<long double>(input.a[i * k + l]) * b[j * k + l];
    return !(std::abs(2 * sum - 1 - found) <= 1e-10);
  };
  for (Int i = 0; i < m; ++i) {
    for (Int j = 0; j < n; ++j)
      if (fault(input.b, i, j, results.c[i * n + j])) return false;
    for (Int j = 0; j <= i; ++j)
      if (fault(input.a, i, j, results.triangle[i * m + j])) return false;
  }
  return true;
}

/// The threads of this process that the library has started.
int own_threads() {
  int count = 0;
  DIR* const tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) {
    std::string name;
    std::getline(std::ifstream(std::string("/proc/self/task/") + entry->d_name + "/comm"), name);
    count += name == "tallcache_blas";
  }
  closedir(tasks);
  return count;
}

/// Whether that many are there before long: a thread names itself when it begins, and needs a moment to end.
bool has_own_threads(int expected, int milliseconds = 2000) {
  for (int i = 0; i < milliseconds; ++i) {
    if (own_threads() == expected) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// The exit status of a child that runs `body`, which tells whether all went well; -1 if a signal ended it.
/// Children are fresh: this process itself never calls the library.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Results that children leave.
struct Shared {
  Results* results = static_cast<Results*>(
      mmap(nullptr, sizeof(Results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ~Shared() { munmap(results, sizeof(Results)); }
};

bool same(const Results& x, const Results& y) { return std::memcmp(&x, &y, sizeof x) == 0; }

class Host : public testing::Test {
 protected:
  const Input input;
  const Shared first{}, next{};

  void SetUp() override {
    unsetenv("OMP_NUM_THREADS");
    unsetenv("TALLCACHE_NUM_THREADS");
    ASSERT_EQ(in_child([&] { return compute(input, *first.results), 0; }), 0);
    ASSERT_TRUE(is_right(input, *first.results));
  }
};

// The check finds a wrong element.
TEST_F(Host, SabotageIsFound) {
  std::memcpy(next.results, first.results, sizeof(Results));
  next.results->triangle[5 * m + 3] += 1e-6;
  EXPECT_FALSE(is_right(input, *next.results));
  EXPECT_FALSE(same(*first.results, *next.results));
}

TEST_F(Host, AThreadThatCannotBeStartedIsDoneWithout) {
  constexpr int processors = 8;
  for (int threads = 0; threads <= processors; ++threads) {
    const int status = in_child([&] {
      pretended_processors = processors;
      threads_left = threads;
      compute(input, *next.results);
      const bool all = has_own_threads(std::min(threads, processors - 1));
      compute(input, *next.results);
      return all ? 0 : 1;
    });
    EXPECT_EQ(status, 0) << threads << " threads can be started";
    EXPECT_TRUE(same(*first.results, *next.results)) << threads << " threads can be started";
  }
}

TEST_F(Host, ThreadsThatCanBeStartedLaterAre) {
  EXPECT_EQ(in_child([&] {
              pretended_processors = 3;
              threads_left = 1;
              compute(input, *next.results);
              if (!has_own_threads(1)) return 1;
              threads_left = no_limit;
              seconds_passed = 2;
              compute(input, *next.results);
              return has_own_threads(2) ? 0 : 2;
            }),
            0);
  EXPECT_TRUE(same(*first.results, *next.results));
}

// Refused from every call for memory on, until the products make no more such calls. Later, when there is
// memory again, all threads take part, or none where oneTBB has not survived its own first one.
TEST_F(Host, MemoryThatCannotBeHadIsDoneWithout) {
  spare_errors_of_dlopen();
  for (const int processors : {1, 2, 8}) {
    constexpr int none_refused = 3, too_few_threads = 4, most = 2000;
    int allowed = 0;
    for (int status = 0; status != none_refused && allowed < most; ++allowed) {
      std::memset(next.results, 0, sizeof(Results));
      status = in_child([&] {
        pretended_processors = processors;
        memory_left = allowed;
        compute(input, *next.results);
        const bool refused = memory_left == 0;
        if (!refused || !same(*first.results, *next.results)) return none_refused;
        memory_left = no_limit;
        seconds_passed = 2;
        compute(input, *next.results);
        return has_own_threads(processors - 1, 200) || own_threads() == 0 ? 0 : too_few_threads;
      });
      ASSERT_TRUE(status == 0 || status == none_refused)
          << status << ": " << allowed << " calls for memory allowed on " << processors << " processors";
      ASSERT_TRUE(same(*first.results, *next.results))
          << allowed << " calls for memory allowed on " << processors << " processors";
    }
    EXPECT_GT(allowed, 2);
    EXPECT_LT(allowed, most);
  }
}

// There is memory for a thread's leaf, or not even that, but none for the packed factors of the whole
// product.
TEST_F(Host, ScratchThatCannotBeHadIsDoneWithout) {
  for (const int processors : {1, 2, 8})
    for (const long largest : {long{1} << 10, long{600} << 10}) {
      std::memset(next.results, 0, sizeof(Results));
      EXPECT_EQ(in_child([&] {
                  pretended_processors = processors;
                  largest_aligned = largest;
                  compute(input, *next.results);
                  return 0;
                }),
                0);
      EXPECT_TRUE(same(*first.results, *next.results))
          << processors << " processors, " << largest << " bytes";
    }
}

// LAPACKE's number for a lack of memory; a triangular system needs none.
TEST_F(Host, AFactorizationWithoutMemoryIsRefused) {
  EXPECT_EQ(in_child([&] {
              constexpr Int n = 100, one = 1;
              std::vector<double> a(n * n, 0.0), b(n, 6), tau(n);
              for (Int i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = 2;
              const auto before = a;
              std::vector<Int> pivots(n);
              largest_aligned = 1024;
              Int told[] = {0, 0, 0};
              dgetrf_(&n, &n, a.data(), &n, pivots.data(), &told[0]);
              dpotrf_("L", &n, a.data(), &n, &told[1]);
              told[2] = LAPACKE_dgeqrf(column_major, n, n, a.data(), n, tau.data());
              for (const Int info : told)
                if (info != -1010) return 1;
              cblas_dtrsm(column_major, left, lower, no, non_unit, n, one, 1, a.data(), n, b.data(), n);
              return a == before && b == std::vector<double>(n, 3) ? 0 : 2;
            }),
            0);
}

TEST_F(Host, AFullAddressSpaceIsDoneWithout) {
  EXPECT_EQ(in_child([&] {
              pretended_processors = 4;
              long pages = 0;
              std::ifstream("/proc/self/statm") >> pages;
              const rlim_t now = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
              const rlimit limit{now + (1 << 18), now + (1 << 18)};
              if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
              compute(input, *next.results);
              return 0;
            }),
            0);
  EXPECT_TRUE(same(*first.results, *next.results));
}

cpu_set_t mask_of(pid_t task) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(task, sizeof set, &set);
  return set;
}

/// Calls visit(task) for each thread of this process.
template <class Visit>
void each_task(const Visit& visit) {
  DIR* const tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks))
    if (entry->d_name[0] != '.') visit(static_cast<pid_t>(std::stol(entry->d_name)));
  closedir(tasks);
}

cpu_set_t first_of(const cpu_set_t& set) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int processor = 0; CPU_COUNT(&one) == 0; ++processor)
    if (CPU_ISSET(processor, &set)) CPU_SET(processor, &one);
  return one;
}

// As `taskset -a`, a batch system or a cpuset does to a running program.
TEST_F(Host, WhatTheHostSetsStays) {
  const cpu_set_t whole = mask_of(0);
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "one processor";
  EXPECT_EQ(in_child([&] {
              const auto set_all = [](const cpu_set_t& set) {
                each_task([&](pid_t task) { sched_setaffinity(task, sizeof set, &set); });
              };
              compute(input, *next.results);
              if (!has_own_threads(CPU_COUNT(&whole) - 1)) return 1;
              const cpu_set_t one = first_of(whole);
              set_all(one);
              for (int i = 0; i < 20; ++i) compute(input, *next.results);
              bool stays = tallcache_blas_threads() == 1;
              each_task([&](pid_t task) {
                const cpu_set_t set = mask_of(task);
                stays = stays && CPU_EQUAL(&set, &one);
              });
              if (!stays) return 2;
              set_all(whole);
              compute(input, *next.results);
              return tallcache_blas_threads() == CPU_COUNT(&whole) && has_own_threads(CPU_COUNT(&whole) - 1)
                         ? 0
                         : 3;
            }),
            0);
  EXPECT_TRUE(same(*first.results, *next.results));
}

// A worker that stays keeps what the host has given it alone.
TEST_F(Host, AWorkerThatTheHostMovesStaysThere) {
  const cpu_set_t whole = mask_of(0), one = first_of(whole);
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "one processor";
  EXPECT_EQ(in_child([&] {
              compute(input, *next.results);
              if (!has_own_threads(CPU_COUNT(&whole) - 1)) return 1;
              const pid_t self = getpid();
              each_task([&](pid_t task) {
                if (task != self) sched_setaffinity(task, sizeof one, &one);
              });
              for (int i = 0; i < 20; ++i) compute(input, *next.results);
              bool stays = true;
              each_task([&](pid_t task) {
                const cpu_set_t set = mask_of(task);
                stays = stays && CPU_EQUAL(&set, task == self ? &whole : &one);
              });
              return stays ? 0 : 2;
            }),
            0);
}

// The caller's own mask says nothing of the process.
TEST_F(Host, AFirstCallFromAPinnedThreadLeavesAllProcessors) {
  const cpu_set_t whole = mask_of(0), one = first_of(whole);
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "one processor";
  EXPECT_EQ(in_child([&] {
              bool on_all = false, caller_stays = false;
              std::thread([&] {
                sched_setaffinity(0, sizeof one, &one);
                compute(input, *next.results);
                on_all = has_own_threads(CPU_COUNT(&whole) - 1);
                const cpu_set_t set = mask_of(0);
                caller_stays = CPU_EQUAL(&set, &one);
              }).join();
              each_task([&](pid_t task) {
                const cpu_set_t set = mask_of(task);
                on_all = on_all && CPU_EQUAL(&set, &whole);
              });
              return on_all && caller_stays && tallcache_blas_threads() == CPU_COUNT(&whole) ? 0 : 1;
            }),
            0);
}

// Fewer threads end what is too many, and more begin again.
TEST_F(Host, TheNumberOfThreadsIsFollowed) {
  EXPECT_EQ(in_child([&] {
              pretended_processors = 8;
              for (const int threads : {8, 3, 1, 5, 8}) {
                tallcache_blas_set_threads(threads);
                compute(input, *next.results);
                // On one thread the library looks after nothing.
                if (threads > 1 && !has_own_threads(threads - 1)) return threads;
              }
              return 0;
            }),
            0);
  EXPECT_TRUE(same(*first.results, *next.results));
}

#ifdef OPENMP_HOST
std::string beside_this_program(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename(name);
}

void compute_here(void* test) {
  const auto& [input, results] = *static_cast<std::pair<const Input*, Results*>*>(test);
  compute(*input, *results);
}

// An OpenMP runtime that came with a library for that library alone, before the first call and after it.
TEST_F(Host, AnOpenMpRegionIsKnownHoweverItWasLoaded) {
  for (const bool used_before : {false, true})
    EXPECT_EQ(in_child([&] {
                pretended_processors = 4;
                std::pair<const Input*, Results*> call{&input, next.results};
                if (used_before) tallcache_blas_set_threads(2), compute_here(&call);
                const int before = used_before ? 1 : 0;
                if (!has_own_threads(before)) return 1;
                void* const library = dlopen(beside_this_program(OPENMP_HOST).c_str(), RTLD_NOW | RTLD_LOCAL);
                if (!library || dlsym(RTLD_DEFAULT, "omp_in_parallel")) return 2;
                const auto in_region = reinterpret_cast<void (*)(void (*)(void*), void*)>(
                    dlsym(library, "openmp_host_in_region"));
                tallcache_blas_set_threads(4);
                in_region(compute_here, &call);
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                if (own_threads() != before) return 3;
                compute_here(&call);
                return has_own_threads(3) ? 0 : 4;
              }),
              0)
        << (used_before ? "after" : "before") << " the first call";
  EXPECT_TRUE(same(*first.results, *next.results));
}
#endif

}  // namespace
}  // namespace tallcache::test
