#include "cpu/first_touch.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include "common/measure/machine_topology.hpp"
#include "common/ops/matmul.hpp"
#include "common/ops/transpose.hpp"
#include "cpu/matmul/recursive.hpp"
#include "cpu/transpose/recursive.hpp"

namespace tallcache::cpu {
namespace {

constexpr std::size_t page = 4096;

// The program of an operation.
template <class Fork, class Args>
void follow(Fork& fork, const Args& args) {
  if constexpr (requires { args.c; })
    fork.start(
        Part([&](auto c, auto a, auto b) { matmul::rec_mult(fork, c, a, b, 1); }, args.c, args.a, args.b));
  else
    fork.start(Part([&](auto b, auto a) { transpose::rec_transpose(fork, b, a, 1); }, args.b, args.a));
}

/// Collects the blocks of views by their addresses.
class Blocks {
 public:
  explicit Blocks(std::vector<std::byte*> bases) : bases_(std::move(bases)) {}

  template <class T>
  void add(std::size_t node, const MatrixView<T>& view) {
    if (view.rows == 0 || view.cols == 0) return;
    const auto* const data = reinterpret_cast<const std::byte*>(view.data);
    std::size_t buffer = bases_.size() - 1;
    while (data < bases_[buffer]) --buffer;
    const Index offset = (data - bases_[buffer]) / Index(sizeof(T));
    list_.push_back({.buffer = buffer,
                     .row = offset / view.ld,
                     .col = offset % view.ld,
                     .rows = view.rows,
                     .cols = view.cols,
                     .ld = view.ld,
                     .element = sizeof(T),
                     .node = node});
  }

  /// Equal blocks of several nodes become stretches of their rows.
  std::vector<TouchedBlock> divided() const {
    std::vector<TouchedBlock> result;
    std::vector<bool> done(list_.size());
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (done[i]) continue;
      std::vector<std::size_t> nodes;
      for (std::size_t j = i; j < list_.size(); ++j) {
        TouchedBlock other = list_[j];
        other.node = list_[i].node;
        if (done[j] || other != list_[i]) continue;
        done[j] = true;
        nodes.push_back(list_[j].node);
      }
      divide(list_[i], nodes, result);
    }
    return result;
  }

 private:
  static void divide(const TouchedBlock& block, const std::vector<std::size_t>& nodes,
                     std::vector<TouchedBlock>& result) {
    const auto count = static_cast<Index>(nodes.size());
    for (Index begin = 0, end; begin < count; begin = end) {
      end = begin + 1;
      while (end < count && nodes[end] == nodes[begin]) ++end;
      TouchedBlock part = block;
      part.node = nodes[begin];
      part.row = block.row + block_begin(block.rows, count, begin);
      part.rows = block.row + block_begin(block.rows, count, end) - part.row;
      if (part.rows > 0) result.push_back(part);
    }
  }

  std::vector<std::byte*> bases_;
  std::vector<TouchedBlock> list_;
};

// Each node's share of every buffer, as a row of bytes.
std::vector<TouchedBlock> in_order(std::span<const BufferSpec> specs, std::span<const MemoryNode> nodes) {
  Index all = 0;
  for (const MemoryNode& node : nodes) all += node.processors;
  std::vector<TouchedBlock> blocks;
  for (std::size_t buffer = 0; buffer < specs.size(); ++buffer) {
    const auto bytes = static_cast<Index>(specs[buffer].bytes);
    for (Index node = 0, before = 0, begin = 0; node < Index(nodes.size()); ++node) {
      before += nodes[node].processors;
      const Index end = bytes * before / all;
      if (end > begin)
        blocks.push_back({.buffer = buffer,
                          .col = begin,
                          .rows = 1,
                          .cols = end - begin,
                          .ld = bytes,
                          .node = static_cast<std::size_t>(node)});
      begin = end;
    }
  }
  return blocks;
}

// The program's recursion on views at addresses that are never used.
template <class Op, class Follow>
std::vector<TouchedBlock> along(const Follow& follow, const Shape& shape, std::span<const BufferSpec> specs,
                                std::span<const MemoryNode> nodes) {
  std::vector<std::byte*> bases;
  std::uintptr_t address = page;
  for (const BufferSpec& spec : specs) {
    bases.push_back(reinterpret_cast<std::byte*>(address));
    address += (spec.bytes / page + 2) * page;
  }
  Blocks blocks(bases);
  ByNode fork(nodes, [&](std::size_t node, const auto&... views) { (blocks.add(node, views), ...); });
  follow(fork, Op::bind(shape, bases, Scratch<>{}));
  return blocks.divided();
}

}  // namespace

std::vector<TouchedBlock> first_touches(const Operation& operation, const Shape& shape,
                                        std::span<const MemoryNode> nodes) {
  const std::vector<BufferSpec> specs = operation.buffers(shape);
  const auto follows = [](auto& fork, const auto& args) { follow(fork, args); };
#define TALLCACHE_FOLLOWED(T)                                                                              \
  if (&operation == &operation_of<Transpose<T>>) return along<Transpose<T>>(follows, shape, specs, nodes); \
  if (&operation == &operation_of<Matmul<T>>) return along<Matmul<T>>(follows, shape, specs, nodes);
  TALLCACHE_NUMBERS(TALLCACHE_FOLLOWED)
#undef TALLCACHE_FOLLOWED
  return in_order(specs, nodes);
}

void touch_first(std::span<const TouchedBlock> blocks, std::span<std::byte* const> buffers,
                 const Topology& topology) {
  const std::vector<MemoryNode>& nodes = topology.memory_nodes();
  const auto touch = [&](std::size_t node, Index thread) {
    topology.stay_near(node);
    for (const TouchedBlock& block : blocks) {
      if (block.node != node) continue;
      const Index of = nodes[node].processors;
      const Index last = block.row + block_begin(block.rows, of, thread + 1);
      for (Index row = block.row + block_begin(block.rows, of, thread); row < last; ++row) {
        std::byte* const begin = buffers[block.buffer] + (row * block.ld + block.col) * block.element;
        std::byte* const end = begin + block.cols * block.element;
        for (std::byte* at = begin; at < end;) {
          *at = std::byte{0};
          at += page - reinterpret_cast<std::uintptr_t>(at) % page;
        }
      }
    }
  };
  std::vector<std::jthread> team;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (Index thread = 0; thread < nodes[node].processors; ++thread) team.emplace_back(touch, node, thread);
}

}  // namespace tallcache::cpu
