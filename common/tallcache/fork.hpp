// Fork policies, and the profiler that is one of them. Write an algorithm once, over a policy that forks:
//
//   template <class Fork> void walk(Fork& fork, Node* node) {
//     if (node) fork([&] { walk(fork, node->left); }, [&] { walk(fork, node->right); });
//   }
//
// Serial runs it one branch after the other; OneTbb, inside in_arena(), in parallel; WorkSpan measures its
// work, its span and what they say of the speed-up to expect (Cilkview's figures).
#pragma once

#include "common/fork/fork.hpp"
#include "common/fork/one_tbb.hpp"
#include "common/fork/work_span.hpp"
