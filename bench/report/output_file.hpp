// The files that commands write. What a user names need not be a regular file, and a file is more than its contents.
#pragma once

#include <string>
#include <string_view>

namespace tallcache {

/// Writes `text` to what `path` names, through symbolic links:
///   "-"                        standard output;
///   a descriptor of this process (/dev/stdout, or the /dev/fd/63 of a shell's >(...)): to it, where it stands;
///   a device or a FIFO: into it;
///   a regular file, or none so far: whole, by a temporary file beside it that takes its place, with the mode and
///   the owner of the one before. One that has several hard links is overwritten in place; so is one whose folder
///   or owner admits no other file in its place.
/// A signal that ends the program removes the temporary file. Throws Error, which names `path`, when it cannot be
/// written; what was there then stays, except where it was overwritten in place.
void write_text(const std::string& path, std::string_view text);

/// Throws Error, before anything is measured, when write_text() cannot write there. An empty `path` is no file.
/// Removes temporary files that killed runs left beside it.
void require_writable(const std::string& path);

/// Whether `path` names no regular file: what is written there cannot be replaced by more, and goes there once.
bool is_stream(const std::string& path);

/// Whether `path` names standard output: "-", /dev/stdout, /dev/fd/1.
bool is_standard_output(const std::string& path);

}  // namespace tallcache
