#include "bench/show/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "bench/results/device_state.hpp"
#include "bench/show/axis.hpp"
#include "bench/show/drawing.hpp"
#include "bench/show/html.hpp"
#include "bench/show/kind.hpp"
#include "bench/show/machine.hpp"
#include "bench/show/page_files.hpp"
#include "bench/show/svg.hpp"

namespace tallcache {
namespace {

constexpr std::string_view errors_section = "errors";

std::string machine_name(const Document& document) {
  std::string name = document.context.at("cpu");
  if (const Json cores = document.context.value("usable_cores", Json()); cores.is_number())
    name += fmt::format(", {} core{}", cores.get<int>(), cores == 1 ? "" : "s");
  for (const Json& gpu : document.context.value("gpus", Json::array()))
    name += " and " + gpu.at("name").get<std::string>();
  return name;
}

// The families as charts draw them.
std::string key_html() {
  struct Form {
    Family family;
    const char* text;
  };
  std::string items;
  for (const Form& form :
       {Form{Family::textbook, "textbook: as on the slides"}, Form{Family::ours, "ours: tuned for speed"},
        Form{Family::library, "library"}, Form{Family::theory, "a bound, or the slide's own figure"}}) {
    const std::string sample = fmt::format("<g class=\"k k0 {}\">{}{}</g>", svg::name_of(form.family),
                                           svg::line(1, 7, 37, 7, "line"), svg::marker(form.family, 19, 7));
    items += fmt::format("<li>{}{}</li>\n", svg::root(38, 14, "sample", sample), form.text);
  }
  return fmt::format(
      "<ul class=\"key\">\n{}<li>A colour is a variant\u2019s. Figures are medians, bars their median "
      "absolute deviation.</li></ul>",
      items);
}

// What was not measured, each reason once, with what it kept.
Blocks absent_blocks(const Document& document) {
  std::map<std::string, std::vector<std::string>> names;
  for (const Record& record : document.measurements)
    if (!record.outcome.measured() && !record.outcome.reason.empty()) {
      std::vector<std::string>& list = names[record.outcome.reason];
      const std::string name = record.operation + " " + name_of(record);
      if (std::ranges::find(list, name) == list.end()) list.push_back(name);
    }
  Grid grid{.caption = "", .columns = {{"reason", true}, {"kept from", true}}};
  for (const auto& [reason, list] : names)
    grid.rows.push_back({reason, fmt::format("{}", fmt::join(list, ", "))});
  return grid.rows.empty() ? Blocks{} : Blocks{std::move(grid)};
}

void fill(std::string& page, std::string_view mark, std::string_view text) {
  page.replace(page.find(mark), mark.size(), text);
}

// The sections, and the list of them.
struct Sections {
  std::string list, main;

  void add(std::string_view title, const std::string& content) {
    if (content.empty()) return;
    const std::string id = file_name(std::string(title));
    list += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, as_markup(title));
    main += fmt::format("<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", id,
                        as_markup(title), content);
  }
};

}  // namespace

void Page::add(const Document& document, const ReportKind& kind) {
  const std::string cpu = document.context.at("cpu"), date = document.context.at("date");
  Article article{document.measurements.size(), cpu, date.substr(0, 10), throttling_text(document), {}};
  if (document.context.contains("mode"))
    article.of += fmt::format(", {} sizes", document.context["mode"].get<std::string>());
  const auto put = [&](std::string_view key, Blocks blocks) {
    if (blocks.empty()) return;
    article.blocks = std::move(blocks);
    articles_[std::string(key)].push_back(article);
  };
  if (std::string& name = names_[cpu]; machine_name(document).size() > name.size())
    name = machine_name(document);
  // Of each machine once; a machine document tells the most.
  if (document.kind == "machine")
    machines_[cpu] = machine_blocks(document);
  else if (!document.limits.empty())
    machines_.try_emplace(cpu, machine_blocks(document));
  if (document.kind != "machine")
    put(document.kind, kind.page ? kind.page(document) : Blocks{Listing{document.kind, kind.full(document)}});
  // Of several documents, what the largest found; its charts stand first.
  if (kind.headline && document.measurements.size() > found_.first)
    found_ = {document.measurements.size(), kind.headline(document)};
  rooflines_.add(document);
  for (Chart& chart : errors_beside_speeds(document)) put(errors_section, {std::move(chart)});
  put("absent", absent_blocks(document));
  documents_.rows.push_back(
      {document.kind, machine_line(document), date, std::to_string(document.measurements.size())});
}

// For each machine all drawings, side by side, then the rest; what is folded before the drawings stays there.
std::string Page::articles(std::vector<Article> list, bool largest_first) const {
  if (largest_first) std::ranges::stable_sort(list, std::ranges::greater(), &Article::records);
  struct Part {
    std::set<std::string> of, notes;
    Blocks before, drawings, rest;
  };
  std::map<std::string, Part> parts;
  for (Article& article : list) {
    Part& part = parts[article.machine];
    part.of.insert(article.of);
    if (!article.note.empty()) part.notes.insert(article.note);
    bool first = true;
    for (Block& block : article.blocks) {
      const bool drawing = is_drawing(block), folded = std::holds_alternative<Fold>(block);
      first = first && !drawing;
      (drawing ? part.drawings : first && folded ? part.before : part.rest).push_back(std::move(block));
    }
  }
  std::string text;
  for (const auto& [cpu, part] : parts) {
    if (names_.size() > 1) text += fmt::format("<h3>{}</h3>\n", as_markup(cpu));
    text += fmt::format("<p class=\"of\">Measured on {}</p>\n",
                        as_markup(fmt::format("{}", fmt::join(part.of, "; "))));
    for (const std::string& note : part.notes)
      text += fmt::format("<p class=\"of\">{}</p>\n", as_markup(note));
    text += html_of(part.before) + html_of(part.drawings) + html_of(part.rest);
  }
  return text;
}

std::string Page::html() const {
  Sections sections;
  for (const ReportKind* kind : kinds_) {
    if (kind->kind == errors_section) {
      Blocks blocks;
      const auto by_machine = rooflines_.charts();
      for (const auto& [machine, charts] : by_machine) {
        if (by_machine.size() > 1) blocks.emplace_back(Heading{machine});
        blocks.insert(blocks.end(), charts.begin(), charts.end());
      }
      sections.add("Roofline", html_of(blocks));
    }
    if (const auto found = articles_.find(std::string(kind->kind)); found != articles_.end())
      sections.add(kind->title, articles(found->second, kind->headline));
  }
  std::string machines, names;
  for (const auto& [cpu, blocks] : machines_)
    machines += (machines_.size() > 1 ? fmt::format("<h3>{}</h3>\n", as_markup(cpu)) : "") + html_of(blocks);
  sections.add("Machine", machines);
  if (const auto absent = articles_.find("absent"); absent != articles_.end())
    sections.add("Not measured",
                 folded("What was not measured, and why", "", articles(absent->second, false)));
  sections.add("Documents",
               folded(fmt::format("{} documents", documents_.rows.size()), "", html_of(Blocks{documents_})));
  for (const auto& [cpu, name] : names_) names += (names.empty() ? "" : "; ") + name;

  std::string page = page_html;
  fill(page, "/*title*/",
       as_markup(fmt::format("{}: {}", names, found_.second.empty() ? "tallcache" : found_.second)));
  fill(page, "/*chart style*/", chart_css);
  fill(page, "/*style*/", page_css);
  fill(page, "/*machine*/", as_markup(names));
  fill(page, "/*found*/", fmt::format("<p class=\"found\">{}</p>", as_markup(found_.second)));
  fill(page, "/*key*/", key_html());
  fill(page, "/*sections*/", sections.list);
  fill(page, "/*script*/", page_js);
  fill(page, "/*main*/", sections.main);
  return page;
}

}  // namespace tallcache
