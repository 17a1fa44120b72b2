// An executor whose clock is a script, and variants of one operation to drive it with.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ops/copy.hpp"
#include "common/variant_text.hpp"
#include "cpu/copy/rows.hpp"
#include "tests/support.hpp"

namespace tallcache::test {

using Op = Copy<float>;

// Runs on the host; a run of `entry` is said to take price[entry], and graph_price[entry] as a graph. Its
// memory can be apart from the host's, and it can have a stream. An entry without a graph's price cannot
// be captured.
class ScriptedExecutor : public Executor {
 public:
  explicit ScriptedExecutor(bool shares = true) : shares_(shares) {}

  std::map<Entry, double> price, graph_price;
  std::map<Entry, char> letter;
  std::string log;             // a letter a call of seconds(), '|' where the caches were flushed
  std::vector<int> times_log;  // how often it ran in each of these calls
  bool has_stream = false, has_graphs = false;
  bool graphs_do_nothing = false;   // what was captured is not started
  std::vector<std::string> ranges;  // names in the order in which they began
  int open_ranges = 0;

  bool shares_host_memory() const override { return shares_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes, Pages pages) override {
    return host_->allocate(bytes, pages);
  }
  void upload(Memory& to, std::span<const std::byte> from) override { host_->upload(to, from); }
  void download(std::span<std::byte> to, const Memory& from) override { host_->download(to, from); }
  void fill(Memory& memory, unsigned char byte) override { host_->fill(memory, byte); }
  double seconds(Entry entry, const void* args, const Params& params, const Launch& launch,
                 int times) override {
    entry(args, params, launch);
    log += letter[entry];
    times_log.push_back(times);
    return price[entry] * times;
  }
  // '^' in the log where it is captured, a capital letter where it runs.
  std::unique_ptr<Graph> capture(Entry entry, const void* args, const Params& params,
                                 const Launch& launch) override {
    if (!has_graphs) return Executor::capture(entry, args, params, launch);
    if (!graph_price.contains(entry)) throw Error("cannot be captured: it allocates", Status::unsupported);
    log += '^';
    ArgsStorage kept{};
    std::memcpy(kept.bytes, args, sizeof(Op::Args<>));
    return std::make_unique<ScriptedGraph>(*this, [=, this] {
      if (!graphs_do_nothing) entry(kept.bytes, params, launch);
      return entry;
    });
  }
  void* stream() const override { return has_stream ? const_cast<ScriptedExecutor*>(this) : nullptr; }
  void begin_range(const std::string& name) override {
    ranges.push_back(name);
    ++open_ranges;
  }
  void end_range() override { --open_ranges; }
  void flush_caches() override { log += '|'; }

 private:
  class ScriptedGraph final : public Graph {
   public:
    ScriptedGraph(ScriptedExecutor& executor, std::function<Entry()> run)
        : executor_(executor), run_(std::move(run)) {}
    double seconds(int times) override {
      const Entry entry = run_();
      executor_.log += static_cast<char>(executor_.letter[entry] - 'a' + 'A');
      executor_.times_log.push_back(times);
      return executor_.graph_price[entry] * times;
    }

   private:
    ScriptedExecutor& executor_;
    std::function<Entry()> run_;
  };

  bool shares_;
  std::unique_ptr<Executor> host_ = make_executor("cpu");
};

void copy(const auto& args) {
  Serial fork;
  cpu::copy::copy_rows(fork, args.b, args.a);
}

// One class a behaviour; `id` makes further variants of the same one.
struct Base {
  static constexpr std::string_view idea = "for this test", source = "this test";
  using operations = OperationList<Op>;
};
template <int id>
struct honest : Base {
  static void run(auto&, const auto& args, const Params&) { copy(args); }
};
struct no_op : Base {
  static void run(auto&, const auto&, const Params&) {}
};

template <class V>
const Variant& variant_of(std::string_view name = "variant") {
  static const auto records = variant_records<V>(name, "cpu", false);
  return records[0];
}

}  // namespace tallcache::test
