// The peers: each is right on every test shape or unavailable with a reason, and each BLAS configuration is a
// library of its own.
#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/catalogue.hpp"
#include "common/measure/harness.hpp"
#include "cpu/peers/blas.hpp"

namespace tallcache {
namespace {

using namespace cpu::peers;

std::vector<const Variant*> peers() {
  std::vector<const Variant*> list;
  for (const Variant* variant : variants())
    if (variant->peer && variant->backend == "cpu") list.push_back(variant);
  return list;
}

std::string test_name(const testing::TestParamInfo<const Variant*>& info) {
  const Variant& variant = *info.param;
  return std::string(variant.name) + "_" + std::string(variant.operation->name) + "_" +
         std::string(variant.operation->element);
}

class PeerTest : public testing::TestWithParam<const Variant*> {};

TEST_P(PeerTest, IsRightOnEveryShapeAndInput) {
  const Variant& peer = *GetParam();
  if (const std::string reason = peer.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  const Operation& operation = *peer.operation;
  const auto executor = make_executor("cpu");
  int ran = 0;
  for (const Shape& shape : operation.test_shapes())
    for (std::string_view input : operation.inputs) {
      Workspace workspace({&operation, shape, input}, *executor);
      for (int threads : {1, 2}) {
        ASSERT_TRUE(peer.supports(workspace.problem().shape)) << to_string(operation, shape);
        const Check check = workspace.verify({&peer, {}, threads});
        EXPECT_TRUE(check) << to_string(operation, shape) << " " << input << " on " << threads
                           << " threads: " << check.message();
        ++ran;
      }
    }
  EXPECT_GE(ran, 100);
}

// Products and copies that are large enough for the libraries to split them over their threads.
TEST_P(PeerTest, IsRightOnALargeProblemOnSeveralThreads) {
  const Variant& peer = *GetParam();
  if (const std::string reason = peer.unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  const Operation& operation = *peer.operation;
  const Shape shape = parse_shape(operation, operation.dims[0].name == "m"         ? "m=509,n=601"
                                             : operation.rate == Rate::gflop_per_s ? "n=601"
                                                                                   : "n=300007");
  const auto executor = make_executor("cpu");
  Workspace workspace({&operation, shape}, *executor);
  for (int threads : {2, 1, 2}) {
    const Check check = workspace.verify({&peer, {}, threads});
    EXPECT_TRUE(check) << threads << " threads: " << check.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, PeerTest, testing::ValuesIn(peers()), test_name);

// A file without its line in cpu/variants.def would not be a peer, and no other test would detect it.
TEST(Peers, AreAllListed) {
  std::set<std::string> listed, files;
  for (const Variant* peer : peers()) listed.emplace(peer->name);
  for (const auto& file : std::filesystem::directory_iterator(PEERS_FOLDER)) {
    std::ifstream stream(file.path());
    const std::string text((std::istreambuf_iterator<char>(stream)), {}), name = file.path().stem();
    if (text.find("\n\nstruct " + name + " ") != std::string::npos) files.insert(name);  // no template
  }
  EXPECT_EQ(listed, files);
  EXPECT_GE(files.size(), 13u);
}

TEST(Blas, IsUnavailableWithAReasonWhenTheLibraryIsMissing) {
  const Blas missing({.sonames = {"libno_such_blas.so.7"}, .folders = {"none"}, .package = "no-such-blas"});
  EXPECT_NE(missing.reason().find("libno_such_blas.so.7"), std::string::npos) << missing.reason();
  EXPECT_NE(missing.reason().find("no-such-blas"), std::string::npos) << missing.reason();
  EXPECT_TRUE(missing.core().empty());
}

TEST(Blas, IsUnavailableWithAReasonWhenTheLibraryIsAnotherOne) {
  const Blas other({.sonames = {"libm.so.6"}, .folders = {}, .package = "libc6"});
  EXPECT_NE(other.reason().find("cblas_dgemm"), std::string::npos) << other.reason();
}

TEST(Blas, IsUnavailableWithAReasonWhenBlisHasNoSuchKernels) {
  BlasSource source = blis_source();
  const Blas installed(source);
  if (!installed.reason().empty()) GTEST_SKIP() << installed.reason();
  source.core = "no_such_core";
  EXPECT_NE(Blas(source).reason().find("no_such_core"), std::string::npos);
#ifdef __x86_64__
  source.core = "armsve";  // known by name, in no build for x86-64, and BLIS aborts when it is asked for
  EXPECT_NE(Blas(source).reason().find("armsve"), std::string::npos);
#endif
}

#ifdef __x86_64__
// A core type that every x86-64 processor can execute, beside the fastest one on this processor.
TEST(Blas, ConfigurationsInOneProcessKeepTheirOwnCores) {
  struct Pair {
    const FastestBlas& (*fastest)();
    BlasSource (*source)(std::string);
    std::string old_core;
  };
  for (auto& [fastest, source, old_core] :
       {Pair{fastest_openblas, openblas_source, "Core2"}, Pair{fastest_blis, blis_source, "generic"}}) {
    Blas& best = fastest().blas();
    if (!best.reason().empty()) GTEST_SKIP() << best.reason();
    Blas old(source(old_core));
    ASSERT_EQ(old.reason(), "");
    EXPECT_EQ(old.core(), old_core);
    EXPECT_TRUE(fastest().text().starts_with(best.core())) << fastest().text();

    // Both compute, after both are loaded.
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    for (Blas* blas : {&best, &old, &best}) {
      double c[] = {-1, -1, -1, -1};
      blas->gemm(Matmul<double>::Args<>{{c, 2, 2, 2}, {a, 2, 2, 2}, {b, 2, 2, 2}}, 1);
      EXPECT_EQ(std::vector(c, c + 4), (std::vector<double>{19, 22, 43, 50})) << blas->core();
      blas->gemm(MatmulBt<double>::Args<>{{c, 2, 2, 2}, {a, 2, 2, 2}, {b, 2, 2, 2}}, 1);
      EXPECT_EQ(std::vector(c, c + 4), (std::vector<double>{17, 23, 39, 53})) << blas->core();
    }
  }
}
#endif

TEST(Blas, LeavesTheEnvironmentAsItWas) {
  setenv("OPENBLAS_CORETYPE", "Core2", 1);
  unsetenv("BLIS_ARCH_TYPE");
  unsetenv("OPENBLAS_NUM_THREADS");
  const Blas openblas(openblas_source("Prescott")), blis(blis_source("generic"));
  EXPECT_STREQ(std::getenv("OPENBLAS_CORETYPE"), "Core2");
  EXPECT_EQ(std::getenv("BLIS_ARCH_TYPE"), nullptr);
  EXPECT_EQ(std::getenv("OPENBLAS_NUM_THREADS"), nullptr);
  unsetenv("OPENBLAS_CORETYPE");
}

TEST(Blas, RefusesSizesBeyondItsIntegers) {
  const Index big = Index{INT_MAX} + 1;
  EXPECT_TRUE(fits_cblas({{"m", 1}, {"n", 2}, {"k", INT_MAX}, {"pad", 0}}));
  EXPECT_FALSE(fits_cblas({{"m", 1}, {"n", 2}, {"k", big}, {"pad", 0}}));
  EXPECT_FALSE(fits_cblas({{"m", 1}, {"n", 2}, {"pad", INT_MAX}}));
  Blas& library = openblas_library();
  if (!library.reason().empty()) GTEST_SKIP() << library.reason();
  double c = 0, a = 1, b = 1;
  EXPECT_THROW(library.gemm(Matmul<double>::Args<>{{&c, 1, 1, big}, {&a, 1, 1, 1}, {&b, 1, 1, 1}}, 1), Error);
  EXPECT_THROW(library.transpose(Transpose<double>::Args<>{{&c, 1, 1, 1}, {&a, 1, 1, big}}), Error);
}

// The slowest kernels that there are, by name beside the library's own choice: they are not taken.
TEST(Blas, TakesTheFastestKernelsAndNotTheLastOnes) {
  const std::vector<std::string> none, slow{"generic"};
  Blas& installed = blis_library();
  if (!installed.reason().empty() || installed.core() == "generic") GTEST_SKIP() << installed.reason();
  const FastestBlas alone(installed, none, blis_source), beside(installed, slow, blis_source);
  EXPECT_EQ(&alone.blas(), &installed);
  EXPECT_EQ(alone.text(), installed.core());
  EXPECT_EQ(&beside.blas(), &installed);
  EXPECT_TRUE(beside.text().starts_with(installed.core() + " (generic takes ")) << beside.text();
}

// Libraries that choose by the processor; the others have nothing to choose.
TEST(Peers, SayWhatTheyRunAs) {
  for (const Variant* peer : peers()) {
    const std::set<std::string_view> choosing{
        "openblas", "openblas_best", "blis", "blis_best", "omatcopy",  "getrf",      "potrf", "gesv", "geqrf",
        "vqsort",   "vqsort_pairs",  "fftw", "fftwf",     "fftw_real", "fftwf_real", "onednn"};
    ASSERT_EQ(peer->prepare != nullptr, choosing.contains(peer->name)) << peer->name;
    if (!peer->unavailable().empty()) continue;
    const Shape shape = peer->operation->bench_shapes().front();
    if (peer->prepare) peer->prepare(shape, 1, Planning::quick);
    EXPECT_EQ(!peer->runs_as(shape, 1).empty(), choosing.contains(peer->name)) << peer->name;
  }
}

}  // namespace
}  // namespace tallcache
