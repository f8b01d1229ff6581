// SPDX-License-Identifier: Apache-2.0
// tacet local estimate and tacet local merge.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "tacet/cli/bar_picture.h"
#include "tacet/cli/csv_text.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/local_commands.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/survey_file.h"
#include "tacet/cli/text_table.h"

namespace tacet::cli {
namespace {

using Json = nlohmann::ordered_json;

Status CollectFile(Collector& collector, const std::string& path, const Terminal& terminal) {
  using Closer = int (*)(std::FILE*);
  std::unique_ptr<std::FILE, Closer> opened(nullptr, std::fclose);
  std::FILE* file = terminal.in;
  if (path != "-") {
    opened.reset(std::fopen(path.c_str(), "rbe"));
    if (!opened) return WrongText(path, 0, "cannot be read", "is that the name of the reports?");
    file = opened.get();
  }
  collector.Begin(path == "-" ? "standard input" : path);
  std::vector<char> buffer(size_t{1} << 18);
  while (const size_t count = std::fread(buffer.data(), 1, buffer.size(), file)) {
    TACET_RETURN_IF_ERROR(collector.Feed(std::string_view(buffer.data(), count)));
  }
  if (std::ferror(file) != 0) {
    return Error{.code = Code::kIo, .message = "cannot read '" + path + "'"};
  }
  return collector.End();
}

Status CollectFiles(Collector& collector, const LocalFlags& flags, const Terminal& terminal) {
  if (flags.files.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "no reports are given",
                 .hint = "name files that tacet local randomize, answer or merge wrote."};
  }
  for (const std::string& path : flags.files) {
    TACET_RETURN_IF_ERROR(CollectFile(collector, path, terminal));
  }
  return {};
}

// What a question's estimates are called.
std::vector<std::string> Labels(const SurveyQuestion& question) {
  if (const auto* choice = std::get_if<ChoiceDomain>(&question.domain)) return choice->values;
  return {std::holds_alternative<YesNoDomain>(question.domain) ? "yes" : "mean"};
}

struct Answers {
  const Randomizer& randomizer;
  QuestionEstimate estimate;
};

std::vector<Answers> EstimateAll(const Survey& survey, const Collector& collector, bool simplex) {
  std::vector<Answers> all;
  for (size_t i = 0; i < survey.questions().size(); ++i) {
    const Randomizer& randomizer = survey.questions()[i];
    const bool split = survey.asks() == Asks::kOne && survey.questions().size() > 1;
    QuestionEstimate estimate =
        Estimate(randomizer, collector.tallies()[i], split ? Reporters::kSample : Reporters::kAll);
    if (simplex && std::holds_alternative<ChoiceDomain>(randomizer.question().domain)) {
      std::vector<double> shares;
      for (const LocalEstimate& one : estimate.estimates) shares.push_back(one.value);
      shares = ProjectToSimplex(std::move(shares));
      for (size_t j = 0; j < estimate.estimates.size(); ++j)
        estimate.estimates[j].value = shares[j];
    }
    all.push_back({randomizer, std::move(estimate)});
  }
  return all;
}

// A number, or one more entry of an object that does not have the label: looking for it would take
// as long as the object is.
void Put(Json& place, const std::string& label, double number) {
  if (place.is_object()) {
    place.get_ref<Json::object_t&>().emplace_back(label, number);
  } else {
    place = number;
  }
}

Json EstimatesJson(const Survey& survey, const Collector& collector,
                   const std::vector<Answers>& all) {
  Json estimates = Json::object();
  Json margins = Json::object();
  Json questions = Json::array();
  for (const Answers& answers : all) {
    const SurveyQuestion& question = answers.randomizer.question();
    const std::vector<std::string> labels = Labels(question);
    const QuestionEstimate& estimate = answers.estimate;
    const bool is_choice = std::holds_alternative<ChoiceDomain>(question.domain);
    Json value = is_choice ? Json::object() : Json(nullptr);
    Json margin = value;
    Json variance = value;
    for (size_t i = 0; i < estimate.estimates.size(); ++i) {
      const LocalEstimate& one = estimate.estimates[i];
      Put(value, labels[i], one.value);
      Put(margin, labels[i], one.margin);
      Put(variance, labels[i], one.variance);
    }
    estimates[question.name] = value;
    margins[question.name] = margin;
    questions.push_back({{"name", question.name},
                         {"method", answers.randomizer.MethodName()},
                         {"epsilon", question.epsilon.ToString()},
                         {"reports", estimate.reports},
                         {"null_reports", estimate.nulls},
                         {"variance", variance},
                         {"one_report_moves", estimate.moved_max}});
  }
  return {
      {"survey", survey.name()},        {"estimate", estimates},          {"margin", margins},
      {"batches", collector.batches()}, {"skipped", collector.skipped()}, {"questions", questions}};
}

std::string EstimatesText(const Survey& survey, const std::vector<Answers>& all,
                          const Terminal& terminal) {
  TextTable table({{.name = "question"},
                   {.name = "answer"},
                   {.name = "estimate", .to_the_right = true},
                   {.name = "one moves", .to_the_right = true},
                   {.name = "reports", .to_the_right = true},
                   {.name = "method"},
                   {.name = "epsilon"}});
  for (const Answers& answers : all) {
    const SurveyQuestion& question = answers.randomizer.question();
    const std::vector<std::string> labels = Labels(question);
    const QuestionEstimate& estimate = answers.estimate;
    for (size_t i = 0; i < labels.size(); ++i) {
      const bool first = i == 0;
      TextTable::Cell cell{.text = "none"};
      if (i < estimate.estimates.size()) {
        cell = {.text = BarNumber(estimate.estimates[i].value),
                .margin = BarNumber(estimate.estimates[i].margin)};
      }
      table.AddRow(
          {{.text = first ? question.name : ""},
           {.text = labels[i]},
           cell,
           {.text = first && estimate.reports > 0 ? fmt::format("{:.2g}", estimate.moved_max) : ""},
           {.text = first ? std::to_string(estimate.reports) : ""},
           {.text = first ? std::string(answers.randomizer.MethodName()) : ""},
           {.text = first ? question.epsilon.ToString() : ""}});
    }
  }
  return survey.name() + (survey.text().empty() ? "" : ": " + survey.text()) + "\n\n" +
         table.Render("  ", terminal, terminal.out);
}

std::string Remarks(const std::vector<Answers>& all, uint64_t skipped) {
  std::string text =
      "\nMargins hold 95 times in 100, for the people who were surveyed. One report, honest or\n"
      "not, moves an estimate by at most what stands beside it.\n";
  for (const Answers& answers : all) {
    if (answers.estimate.nulls == 0) continue;
    text += fmt::format("{}: {} null reports, of people whose budget is used up.\n",
                        answers.randomizer.question().name, answers.estimate.nulls);
  }
  if (skipped > 0) text += fmt::format("{} batches came again and were counted once.\n", skipped);
  return text;
}

std::vector<BarGroup> BarsOf(const std::vector<Answers>& all) {
  std::vector<BarGroup> groups;
  for (const Answers& answers : all) {
    const SurveyQuestion& question = answers.randomizer.question();
    const std::vector<std::string> labels = Labels(question);
    BarGroup group;
    group.title = question.text.empty() ? question.name : question.name + ": " + question.text;
    if (const auto* number = std::get_if<NumberDomain>(&question.domain)) {
      group.low = number->low.ToDouble();
      group.high = number->high.ToDouble();
    }
    for (size_t i = 0; i < answers.estimate.estimates.size(); ++i) {
      const LocalEstimate& one = answers.estimate.estimates[i];
      group.bars.push_back({labels[i], one.value, one.margin});
    }
    if (!group.bars.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

Status EstimateFromReports(const LocalFlags& flags, const Terminal& terminal) {
  TACET_TRY(const Survey survey, ReadSurvey(flags.survey));
  std::optional<OutputFile> picture;
  if (!flags.pictures.svg.empty()) {
    TACET_TRY(OutputFile file, OutputFile::Create(flags.pictures.svg));
    picture.emplace(std::move(file));
  }
  Collector collector(survey, flags.skip_duplicates);
  TACET_RETURN_IF_ERROR(CollectFiles(collector, flags, terminal));
  const std::vector<Answers> all = EstimateAll(survey, collector, flags.simplex);
  if (picture) TACET_RETURN_IF_ERROR(picture->Commit(SvgBars(survey.name(), BarsOf(all))));
  if (terminal.json) {
    terminal.Print(DocumentText(EstimatesJson(survey, collector, all)));
    return {};
  }
  terminal.Print(EstimatesText(survey, all, terminal));
  if (flags.pictures.plot)
    terminal.Print("\n" + TerminalBars(BarsOf(all), Terminal::Columns(terminal.out) - 1));
  terminal.Note(Remarks(all, collector.skipped()));
  if (picture) terminal.Aside("The picture is in " + flags.pictures.svg + ".\n");
  return {};
}

Status MergeReports(const LocalFlags& flags, const Terminal& terminal) {
  TACET_TRY(const Survey survey, ReadSurvey(flags.survey));
  if (terminal.json && flags.output.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "a tally is lines, not a JSON document",
                 .hint = "leave --json out, or write to a file with -o."};
  }
  std::optional<OutputFile> output;
  if (!flags.output.empty()) {
    TACET_TRY(OutputFile file, OutputFile::Create(flags.output));
    output.emplace(std::move(file));
  }
  Collector collector(survey, flags.skip_duplicates);
  TACET_RETURN_IF_ERROR(CollectFiles(collector, flags, terminal));
  if (!output) {
    terminal.Write(collector.TallyText());
    return {};
  }
  TACET_RETURN_IF_ERROR(output->Commit(collector.TallyText()));
  uint64_t reports = 0;
  for (const Tally& tally : collector.tallies()) reports += tally.reports();
  if (terminal.json) {
    terminal.Print(DocumentText({{"survey", survey.name()},
                                 {"reports", reports},
                                 {"batches", collector.batches()},
                                 {"skipped", collector.skipped()},
                                 {"file", flags.output}}));
  }
  terminal.Note(fmt::format("{} reports of {} batches are in {}.\n", reports, collector.batches(),
                            flags.output));
  return {};
}

}  // namespace tacet::cli
