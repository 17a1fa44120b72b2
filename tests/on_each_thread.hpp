// Work in which every thread of an arena is sure to take part.
#pragma once

#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

namespace tallcache {

// Runs `threads` tasks, each on a thread of its own: none continues before all have begun. Returns false when
// that took too long.
inline bool on_each_thread(int threads, const std::function<void(int)>& work) {
  std::atomic<int> begun = 0;
  std::atomic<bool> all = true;
  tbb::task_group group;
  const auto task = [&](int index) {
    ++begun;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (begun < threads && all) {
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() > deadline) all = false;
    }
    work(index);
  };
  for (int i = 1; i < threads; ++i) group.run([&task, i] { task(i); });
  task(0);
  group.wait();
  return all;
}

}  // namespace tallcache
