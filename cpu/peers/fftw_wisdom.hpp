// Where FFTW's plans are kept from process to process.
#pragma once

#include <string>
#include <string_view>

namespace tallcache::cpu::peers {

/// The folder of this program in the user's cache: $XDG_CACHE_HOME/tallcache, else ~/.cache/tallcache; empty
/// where neither variable is set.
std::string cache_folder();

/// The file of the plans that a library of this version makes on this processor; `build` is what else tells
/// one build from another. Empty where there is no cache folder.
std::string wisdom_file(std::string_view version, std::string_view build);

/// A file of wisdom and the functions of FFTW for it.
class Wisdom {
 public:
  using Import = int (*)(const char* file);
  using Export = int (*)(const char* file);
  Wisdom(std::string file, Import import, Export export_to)
      : file_(std::move(file)), import_(import), export_(export_to) {}

  /// Adds what the file holds to what FFTW knows. No file is no fault; one that FFTW refuses is a line on
  /// standard error, and is ignored.
  void load() const;
  /// Adds what FFTW knows to the file, which is whole at any moment. A folder that cannot be written to keeps
  /// nothing.
  void save() const;

 private:
  std::string file_;
  Import import_;
  Export export_;
};

}  // namespace tallcache::cpu::peers
