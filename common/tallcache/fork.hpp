// Fork policies, and the profiler, which is one of them. Write an algorithm once, over a policy that forks:
//
//   template <class Fork> void walk(Fork& fork, Node* node) {
//     if (node) fork([&] { walk(fork, node->left); }, [&] { walk(fork, node->right); });
//   }
//
// Serial runs one branch after the other. OneTbb, inside in_arena(), runs them in parallel, with a task for
// each fork. Heartbeat runs them in parallel too; its forks cost a few nanoseconds, so that a program needs
// no grain. WorkSpan measures the work, the span and the expected speed-up (Cilkview's figures). A Part is a
// branch that shows the views that it works on; ByNode divides them among memory nodes.
#pragma once

#include "common/fork/by_node.hpp"
#include "common/fork/fork.hpp"
#include "common/fork/heartbeat.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/fork/parallel.hpp"
#include "common/fork/work_span.hpp"
