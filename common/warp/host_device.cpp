#include "common/warp/host_device.hpp"

#include <string>

#include "common/error.hpp"

namespace tallcache::warp {
namespace {

unsigned number_of(Dim dim) { return dim.x * dim.y * dim.z; }

Dim position(unsigned number, Dim dim) {
  return {number % dim.x, number / dim.x % dim.y, number / dim.x / dim.y};
}

}  // namespace

HostDevice::HostDevice(const cache::WarpMachine& machine)
    : recorder_(machine), shared_(machine.max_shared_bytes) {}

void HostThread::sync() const { device_->wait(number_, HostDevice::State::at_block); }

unsigned HostThread::sync_count(bool vote) const { return device_->exclusive_sum(*this, vote).second; }
void HostThread::commit_copies() const { ++device_->copies_[number_].group; }

unsigned HostThread::ballot(bool value) const {
  const std::uint64_t* values = exchange(value);
  unsigned set = 0;
  const unsigned first = number_ - static_cast<unsigned>(lane());
  for (unsigned i = 0; i < 32 && first + i < device_->threads_; ++i)
    set |= static_cast<unsigned>(values[i] & 1) << i;
  return set;
}

void HostDevice::prepare(const LaunchShape& shape) {
  const auto& machine = recorder_.machine();
  threads_ = number_of(shape.block);
  const std::string where = std::string(shape.file) + ":" + std::to_string(shape.line) + ": ";
  if (threads_ == 0 || number_of(shape.grid) == 0) throw Error(where + "a launch without threads");
  if (threads_ > static_cast<unsigned>(machine.max_threads))
    throw Error(where + "blocks of " + std::to_string(threads_) + " threads; machine '" +
                std::string(machine.name) + "' has " + std::to_string(machine.max_threads) + " at most");
  grid_ = shape.grid;
  block_ = shape.block;
  thrown_ = nullptr;
  pieces_.clear();
  shared_used_ = 0;
  if (shape.dynamic_shared) shared_array(-1, shape.dynamic_shared);
  if (workers_.size() < threads_) {
    workers_.clear();
    stacks_ = std::make_unique<Stacks>(threads_);
    for (unsigned i = 0; i < threads_; ++i)
      workers_.push_back(std::make_unique<Worker>(*this, i, (*stacks_)[i]));
  }
  positions_.clear();
  for (unsigned i = 0; i < threads_; ++i) positions_.push_back(position(i, block_));
  for (auto& values : exchanged_) values.assign(threads_, 0);
  sums_.assign(threads_, 0);
  copies_.resize(std::max<std::size_t>(copies_.size(), threads_));
}

void HostDevice::run(const LaunchShape& shape, Text text, void* body) {
  prepare(shape);
  text_ = text;
  body_ = body;
  std::uint64_t longest = 0;
  try {
    for (unsigned z = 0; z < grid_.z; ++z)
      for (unsigned y = 0; y < grid_.y; ++y)
        for (unsigned x = 0; x < grid_.x; ++x) {
          block_index_ = {x, y, z};
          longest = std::max(longest, run_block());
        }
  } catch (...) {
    workers_.clear();  // waiting threads never continue
    recorder_.drop_warp();
    throw;
  }
  span_ += longest;
}

void HostDevice::work(void* erased) {
  auto& worker = *static_cast<Worker*>(erased);
  HostDevice& device = worker.device;
  for (;;) {
    try {
      device.text_(device.body_, HostThread(device, worker.number));
    } catch (...) {
      device.thrown_ = std::current_exception();
    }
    device.lanes_[worker.number].state = State::finished;
    worker.fibre.suspend();
  }
}

/// Returns the block's span.
std::uint64_t HostDevice::run_block() {
  std::uint64_t span = 0;
  lanes_.assign(threads_, {});
  for (Copies& copies : copies_) copies.pending.clear();
  // Shared memory that a kernel reads before it writes it is poisoned: it holds no number.
  std::memset(shared_.data(), 0xff, shared_used_);
  const auto warp = static_cast<unsigned>(recorder_.machine().lanes);
  for (bool running = true; running;) {
    running = false;
    summed_ = false;
    section_ = 0;
    for (unsigned first = 0; first < threads_; first += warp) running |= run_warp(first);
    span += section_;
  }
  return span;
}

/// Runs the lanes of the warp until they wait for the block or have finished. Returns whether any waits.
bool HostDevice::run_warp(unsigned first) {
  const unsigned beyond = std::min(threads_, first + static_cast<unsigned>(recorder_.machine().lanes));
  for (unsigned i = first; i < beyond; ++i)
    if (lanes_[i].state == State::at_block) lanes_[i].state = State::ready;
  for (std::uint64_t own = 0;;) {
    own += run_lanes(first, beyond);
    section_ = std::max(section_, own);
    recorder_.end_warp();
    unsigned at_warp = 0, at_block = 0;
    for (unsigned i = first; i < beyond; ++i) {
      at_warp += lanes_[i].state == State::at_warp;
      at_block += lanes_[i].state == State::at_block;
    }
    if (!at_warp) return at_block != 0;
    if (at_warp != beyond - first)
      throw Error("a kernel: " + std::to_string(at_warp) + " of a warp's " + std::to_string(beyond - first) +
                  " lanes wait for the others, which do not come");
    for (unsigned i = first; i < beyond; ++i) lanes_[i].state = State::ready;
  }
}

/// Returns the accesses of the longest lane.
std::uint64_t HostDevice::run_lanes(unsigned first, unsigned beyond) {
  std::uint64_t longest = 0;
  for (unsigned i = first; i < beyond; ++i) {
    if (lanes_[i].state != State::ready) continue;
    recorder_.begin_lane(static_cast<int>(i - first));
    const std::uint64_t before = recorder_.accesses();
    workers_[i]->fibre.resume();
    if (thrown_) std::rethrow_exception(thrown_);
    longest = std::max(longest, recorder_.accesses() - before);
  }
  return longest;
}

void HostDevice::wait(unsigned number, State at) {
  lanes_[number].state = at;
  workers_[number]->fibre.suspend();
}

std::pair<std::byte*, std::uint64_t> HostDevice::shared_array(int n, std::size_t bytes) {
  auto piece = std::ranges::find(pieces_, n, &SharedPiece::n);
  if (piece == pieces_.end()) {
    const std::size_t begin = (shared_used_ + 15) / 16 * 16;
    if (begin + bytes > shared_.size())
      throw Error("a block's shared memory of " + std::to_string(begin + bytes) + " bytes; machine '" +
                  std::string(recorder_.machine().name) + "' has " + std::to_string(shared_.size()));
    std::memset(shared_.data() + begin, 0xff, bytes);
    shared_used_ = begin + bytes;
    piece = pieces_.insert(pieces_.end(), {n, begin, bytes});
  }
  return {shared_.data() + piece->begin, piece->begin};
}

void HostDevice::copy_asynchronously(const HostThread& t, std::uint32_t to, const void* from, int bytes,
                                     int width) {
  if (to + static_cast<std::size_t>(width) > shared_used_)
    throw Error("an asynchronous copy to byte " + std::to_string(to) +
                " of a block's shared memory, which has " + std::to_string(shared_used_));
  Copies& copies = copies_[t.number()];
  Copies::Copy& copy = copies.pending.emplace_back(Copies::Copy{copies.group, to, width, {}});
  if (bytes > 0) std::memcpy(copy.bytes.data(), from, static_cast<std::size_t>(bytes));
  // A text that reads before its wait finds no number there.
  std::memset(shared_.data() + to, 0xff, static_cast<std::size_t>(width));
}

void HostDevice::wait_for_copies(const HostThread& t, unsigned pending) {
  Copies& copies = copies_[t.number()];
  std::erase_if(copies.pending, [&](const Copies::Copy& copy) {
    const bool arrives = copy.group + pending < copies.group;
    if (arrives)
      std::memcpy(shared_.data() + copy.to, copy.bytes.data(), static_cast<std::size_t>(copy.width));
    return arrives;
  });
}

std::pair<std::uint32_t, std::uint32_t> HostDevice::exclusive_sum(const HostThread& t, std::uint32_t value) {
  sums_[t.number()] = value;
  t.sync();
  if (!summed_) {
    sum_ = 0;
    for (std::uint32_t& sum : sums_) sum = std::exchange(sum_, sum_ + sum);
    summed_ = true;
  }
  const std::pair result{std::exchange(sums_[t.number()], 0), sum_};  // the thread may end before the next
  t.sync();
  return result;
}

cache::RequestCounts HostDevice::total(cache::Space space, cache::AccessKind kind) const {
  cache::RequestCounts sum;
  for (const SiteCounts& site : recorder_.sites())
    if (site.site.space == space && site.site.kind == kind) sum += site.counts;
  return sum;
}

}  // namespace tallcache::warp
