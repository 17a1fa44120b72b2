// What a document says of the sources that it measured, and whether they are still the same.
#include "bench/results/provenance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "bench/results/stale.hpp"
#include "common/catalogue.hpp"
#include "common/measure/machine.hpp"

namespace tallcache {
namespace {

std::set<std::string_view> paths(const std::vector<const Source*>& files) {
  std::set<std::string_view> found;
  for (const Source* file : files) found.insert(file->path);
  return found;
}

Record record_of(std::string operation, std::string variant, std::string backend, int threads = 1) {
  Record record{.operation = std::move(operation),
                .variant = std::move(variant),
                .backend = std::move(backend),
                .threads = threads};
  record.outcome = {Status::measured};
  return record;
}

Document document_of(std::vector<Record> records) {
  Document document{.kind = "run", .context = {{"build", {{"commit", "unknown"}}}}};
  document.measurements = std::move(records);
  return document;
}

// A document as this program would have written it.
Document written(std::vector<Record> records) {
  Document document = document_of(std::move(records));
  document.context["sources"] = sources_json(document);
  return document;
}

TEST(Sources, EveryVariantHasItsOwnFile) {
  EXPECT_FALSE(variants().empty());
  for (const Variant* variant : variants()) {
    const auto files = paths(sources_of(variant->backend, variant->operation->name, variant->name, 1));
    const std::string stem = "/" + std::string(variant->name) + ".";
    const auto own = [&](std::string_view path) {
      return path.starts_with(variant->backend) && path.find(stem) != path.npos;
    };
    EXPECT_GE(std::ranges::count_if(files, own), 1) << variant->operation->name << " " << variant->name;
    EXPECT_TRUE(files.contains("common/view.hpp"));
    for (const std::string_view path : files) EXPECT_NE(find_source(path), nullptr) << path;
  }
}

// What launches on an H200 are planned by is a source of its documents, and of no other GPU's.
TEST(Sources, TuningOfADeviceIsOfItsDocuments) {
  const std::string_view record = "gpu/tuning/records/nvidia_h200/transpose.def";
  if (!find_source(record)) GTEST_SKIP() << "no GPU's variants are known";
  const auto of_gpu = [&](const char* name) {
    Document document = document_of({record_of("transpose", "any_shape", "gpu")});
    document.context["gpu"] = name;
    return paths(measured_sources(document));
  };
  EXPECT_TRUE(of_gpu("NVIDIA H200").contains(record));
  EXPECT_FALSE(of_gpu("NVIDIA H100 80GB HBM3").contains(record));
  EXPECT_TRUE(of_gpu("NVIDIA H100 80GB HBM3").contains("gpu/tuning/fields/transpose.def"));
}

TEST(Sources, AreThoseOfTheOperation) {
  EXPECT_TRUE(paths(sources_of("cpu", "transpose", "recursive", 1)).contains("cpu/transpose/recursive.hpp"));
  EXPECT_TRUE(paths(sources_of("cpu", "matmul_bt", "recursive", 1)).contains("cpu/matmul/recursive.hpp"));
  EXPECT_TRUE(
      paths(sources_of("cpu", "transpose_in_place", "in_place", 1)).contains("cpu/transpose/in_place.hpp"));
  EXPECT_TRUE(paths(sources_of("gpu", "increment", "thread_per_element", 1))
                  .contains("gpu/increment/thread_per_element.hpp"));
  EXPECT_TRUE(sources_of("cpu", "matmul", "nothing", 1).empty());
  EXPECT_TRUE(sources_of("tpu", "matmul", "naive", 1).empty());
  EXPECT_EQ(find_source("cpu/matmul"), nullptr);
  EXPECT_EQ(find_source("zzz"), nullptr);
}

TEST(Sources, OfSeveralThreadsAreTheForkPoliciesToo) {
  const std::string_view policy = "common/fork/heartbeat.cpp";
  EXPECT_TRUE(paths(sources_of("cpu", "fib", "fib", 2)).contains(policy));
  EXPECT_FALSE(paths(sources_of("cpu", "fib", "fib", 1)).contains(policy));
  EXPECT_FALSE(paths(sources_of("cpu", "matmul", "openblas", 2)).contains(policy));
  EXPECT_FALSE(paths(sources_of("cpu", "fib", "fib", 2)).contains("common/fork/work_span.cpp"));
  EXPECT_TRUE(
      paths(sources_of("cpu", "matmul", "recursive_packed", 1)).contains("cpu/matmul/register_kernel.cpp"));
  EXPECT_TRUE(paths(sources_of("cpu", "matmul", "amx_tiles", 1)).contains("cpu/matmul/bfloat16_kernel.cpp"));
}

// A tuned field is a source of the variants whose launches it plans alone.
TEST(Sources, OfAVariantAreTheTunedFieldsThatItNames) {
  const std::string_view of_sorts = "gpu/tuning/fields/sort.def", of_lu = "gpu/tuning/fields/lu.def";
  const Document sort = written({record_of("sort", "sample_sort", "gpu")});
  const Document lu = written({record_of("lu_pivot", "toledo", "gpu")});
  const auto tuning = [](const Document& document) {
    std::set<std::string> found;
    for (const auto& [path, blob] : document.context["sources"].items())
      if (path.ends_with(".def")) found.insert(path);
    return found;
  };
  EXPECT_EQ(tuning(sort), std::set<std::string>{std::string(of_sorts)});
  EXPECT_EQ(tuning(lu), (std::set<std::string>{std::string(of_lu), "gpu/tuning/fields/factor.def",
                                               "gpu/tuning/records/lu.def"}));
  EXPECT_EQ(tuning(written({record_of("bfs", "direction_bitmaps", "gpu")})), std::set<std::string>{});
  EXPECT_EQ(find_source("gpu/tuning/fields.def"), nullptr) << "it would be of all";
  for (const std::string_view changed : {of_sorts, of_lu})
    for (Document document : {sort, lu}) {
      Json& sources = document.context["sources"];
      const bool of_it = sources.contains(changed);
      if (of_it) sources[std::string(changed)] = std::string(40, 'a');
      const std::vector<std::string> wanted(of_it ? 1 : 0, std::string(changed));
      EXPECT_EQ(staleness(document).changed, wanted);
      EXPECT_EQ(of_it, document.measurements[0].operation == (changed == of_sorts ? "sort" : "lu_pivot"));
    }
}

TEST(Sources, AreWrittenOfWhatWasMeasuredAlone) {
  Record unavailable = record_of("matmul", "naive", "cpu");
  unavailable.outcome = {Status::unavailable, "why"};
  const Json sources = sources_json(document_of({record_of("copy", "rows", "cpu"), unavailable}));
  EXPECT_TRUE(sources.contains("cpu/copy/rows.hpp"));
  EXPECT_FALSE(sources.contains("cpu/matmul/naive.hpp"));
  for (const auto& [path, blob] : sources.items()) EXPECT_EQ(blob, find_source(path)->blob);
  EXPECT_TRUE(sources_json(document_of({})).is_object());
}

TEST(Sources, OfADocumentThatWasReadStayAsTheyWere) {
  Document document = written({record_of("copy", "rows", "cpu")});
  document.context["sources"]["cpu/copy/rows.hpp"] = std::string(40, 'a');
  document.context["build"]["source_digest"] = std::string(40, 'b');
  const std::string path = testing::TempDir() + "provenance.json";
  write_document(path, document);
  EXPECT_EQ(read_document(path).context, document.context);
  std::remove(path.c_str());
}

TEST(Provenance, OfThisBuildIsOfTheSchema) {
  const Build build = describe_build();
  const Json context{{"build", {{"commit", build.commit}}}, {"sources", Json::object()}};
  EXPECT_NO_THROW(require_provenance(context)) << build.commit;
  EXPECT_EQ(build.source_digest.size(), 40u);
}

TEST(Provenance, IsShownInTwelveDigits) {
  const std::string digits(40, 'c');
  EXPECT_EQ(short_commit({{"commit", digits}}), "cccccccccccc");
  EXPECT_EQ(short_commit({{"commit", digits + "-dirty"}}), "cccccccccccc-dirty");
  EXPECT_EQ(short_commit({{"commit", "0123456789"}}), "0123456789");
  EXPECT_EQ(short_commit({{"commit", "unknown"}}), "unknown");
}

TEST(Stale, IsADocumentWhoseSourcesAreOthersNow) {
  EXPECT_TRUE(staleness(written({record_of("fib", "fib", "cpu", 2)})).fresh());
  Document document = written({record_of("fib", "fib", "cpu", 2), record_of("copy", "rows", "cpu")});
  document.context["sources"]["common/fork/heartbeat.cpp"] = std::string(40, 'a');
  document.context["sources"]["cpu/old.hpp"] = std::string(40, 'b');
  const Staleness found = staleness(document);
  EXPECT_EQ(found.changed, (std::vector<std::string>{"common/fork/heartbeat.cpp", "cpu/old.hpp (gone)"}));
  EXPECT_EQ(to_string(found), "stale: common/fork/heartbeat.cpp, cpu/old.hpp (gone)");
}

TEST(Stale, IsADocumentOfAVariantThatIsGone) {
  const Document document = written({record_of("copy", "as_before", "cpu"), record_of("copy", "toy", "toy")});
  EXPECT_EQ(staleness(document).changed, std::vector<std::string>{"cpu/copy/as_before (gone)"});
}

TEST(Stale, AreTheRecordsOfTheChangedSourcesAlone) {
  const Document document =
      written({record_of("copy", "rows", "cpu"), record_of("transpose", "recursive", "cpu")});
  const auto left_out = [&](const std::vector<std::string>& changed) {
    std::vector<std::string> names;
    for (const Record& record : without_changed(document, changed).measurements)
      if (record.outcome.status == Status::left_out) {
        EXPECT_EQ(record.outcome.reason, "its sources have changed since");
        EXPECT_TRUE(record.quantities.empty());
        names.push_back(record.operation);
      }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(left_out({}), Names{});
  EXPECT_EQ(left_out({"cpu/transpose/recursive.hpp"}), Names{"transpose"});
  EXPECT_EQ(left_out({"cpu/fft/layout.cpp", "cpu/copy/rows.hpp (new)"}), Names{"copy"});
  EXPECT_EQ(left_out({"cpu/old.hpp (gone)"}), (Names{"copy", "transpose"}));
}

TEST(Stale, CannotBeToldOfADocumentWithoutACommit) {
  const Document document = document_of({record_of("copy", "rows", "cpu")});
  EXPECT_TRUE(staleness(document).changed.empty());
  EXPECT_FALSE(staleness(document).fresh());
  EXPECT_EQ(to_string(staleness(document)),
            "unknown: it has no blobs of its sources, and 'unknown' is no commit");
}

TEST(Code, IsWhatRemainsWithoutCommentsAndBlanks) {
  const auto same = [](const char* a, const char* b) { EXPECT_EQ(code_of(a), code_of(b)) << a; };
  const auto differ = [](const char* a, const char* b) { EXPECT_NE(code_of(a), code_of(b)) << a; };
  same("int a;  // one\nint b;", "/* two\n lines */ int a;\n\n  int b;\n");
  same("f(a,\n  b);", "f(a, b);");
  same("#include <x>\nint a;", "#include <x>  // why\n\n\nint a;");
  same("#include \"a\"\n#include \"b\"\nint a;", "#include \"b\"\n#include \"a\"\nint a;");
  differ("#include \"a\"\nint a;\n#include \"b\"\n", "#include \"b\"\nint a;\n#include \"a\"\n");
  differ("#include \"a\"\n#include \"b\"\n", "#include \"a\"\n#include \"c\"\n");
  same("#define A 1 \\\n  + 2\n", "#define A 1 + 2\n");
  same("x = 1'000'000;  // it's", "x = 1'000'000;");
  same("don = '\\'' ;// a", "don = '\\'' ;");
  differ("int a;", "int b;");
  differ("return x;", "returnx;");
  differ("a - -b", "a --b");
  differ("#define A 1\nint b;", "#define A 1 int b;");
  differ("#define f(x) x\n", "#define f (x) x\n");
  differ("s = \"a  b\";", "s = \"a b\";");
  differ("s = \"// a\";", "s = \"// b\";");
  differ("s = R\"(\"// a\n)\";", "s = R\"(\"// b\n)\";");
  differ("c = '\"'; // a\nd = 1; e = '\"';", "c = '\"'; // a\nd = 2; e = '\"';");
  differ("/* a */ b /* c */", "/* a b */");
}

}  // namespace
}  // namespace tallcache
