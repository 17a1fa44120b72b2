// Where on the host a command runs, and with which instructions.
#pragma once

namespace CLI {
class App;
}

namespace tallcache {

/// Adds --processors LIST, which holds the process to these, and --simd TARGET, the best one that the suite's
/// own vector code may use. Both hold for the whole process, from when the command line is read. A list that
/// is none, or has a processor that the process may not use, and a target that this one lacks throw Error.
void add_host(CLI::App& command);

}  // namespace tallcache
