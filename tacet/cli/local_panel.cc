// SPDX-License-Identifier: Apache-2.0
// tacet local randomize.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "tacet/cli/csv_text.h"
#include "tacet/cli/json_text.h"
#include "tacet/cli/local_commands.h"
#include "tacet/cli/output_file.h"
#include "tacet/cli/survey_file.h"
#include "tacet/sampler/uniform.h"

namespace tacet::cli {
namespace {

// Lines of a file without their ends, however long.
class LineReader {
 public:
  explicit LineReader(std::FILE* file) : file_(file) {}
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader() { std::free(line_); }

  // Nothing at the end.
  std::optional<std::string_view> Next() {
    const ssize_t size = ::getline(&line_, &room_, file_);
    if (size < 0) return std::nullopt;
    std::string_view line(line_, static_cast<size_t>(size));
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  bool failed() const { return std::ferror(file_) != 0; }

 private:
  std::FILE* file_;
  char* line_ = nullptr;
  size_t room_ = 0;
};

// The answers of a panel, row by row.
class PanelReader {
 public:
  PanelReader(const Survey& survey, std::FILE* file, std::string name)
      : survey_(survey), lines_(file), name_(std::move(name)), known_(survey.questions().size()) {}

  // Finds the column of every question.
  Status ReadHeading() {
    const std::optional<std::string_view> line = NextLine();
    if (!line) return WrongText(name_, 0, "the file is empty", "the first line names the columns.");
    TACET_TRY(const std::vector<std::string> cells,
              SplitCells(WithoutByteOrderMark(*line), name_, number_));
    columns_ = cells.size();
    for (const Randomizer& randomizer : survey_.questions()) {
      const std::string& question = randomizer.question().name;
      const auto found = std::find(cells.begin(), cells.end(), question);
      if (found == cells.end()) {
        return WrongText(name_, number_, "there is no column " + question,
                         "the first line names the columns, one for every question.");
      }
      if (std::find(found + 1, cells.end(), question) != cells.end()) {
        return WrongText(name_, number_, "there are two columns " + question);
      }
      places_.push_back(static_cast<size_t>(found - cells.begin()));
    }
    return {};
  }

  // One answer a question, or nothing at the end.
  Result<std::optional<std::vector<uint64_t>>> Next() {
    std::optional<std::string_view> line = NextLine();
    while (line && line->empty() && columns_ > 1) line = NextLine();
    if (!line) {
      if (lines_.failed())
        return Error{.code = Code::kIo, .message = "cannot read '" + name_ + "'"};
      return std::optional<std::vector<uint64_t>>();
    }
    TACET_RETURN_IF_ERROR(Split(*line));
    if (cells_.size() != columns_) {
      return WrongText(name_, number_,
                       fmt::format("there are {} cells, not {}", cells_.size(), columns_));
    }
    std::vector<uint64_t> answers;
    for (size_t i = 0; i < places_.size(); ++i) {
      TACET_TRY(const uint64_t answer, Answer(i, cells_[places_[i]]));
      answers.push_back(answer);
    }
    return std::optional(std::move(answers));
  }

 private:
  std::optional<std::string_view> NextLine() {
    ++number_;
    return lines_.Next();
  }

  Status Split(std::string_view line) {
    cells_.clear();
    if (line.find('"') != std::string_view::npos) {
      TACET_TRY(quoted_, SplitCells(line, name_, number_));
      cells_.assign(quoted_.begin(), quoted_.end());
      return {};
    }
    for (size_t from = 0; from <= line.size();) {
      const size_t end = std::min(line.find(',', from), line.size());
      std::string_view cell = line.substr(from, end - from);
      while (cell.starts_with(' ')) cell.remove_prefix(1);
      while (cell.ends_with(' ')) cell.remove_suffix(1);
      cells_.push_back(cell);
      from = end + 1;
    }
    return {};
  }

  Result<uint64_t> Answer(size_t question, std::string_view cell) {
    constexpr size_t kKnownMax = 1 << 20;
    auto& known = known_[question];
    const auto found = known.find(std::string(cell));
    if (found != known.end()) return found->second;
    const Result<uint64_t> answer = ReadAnswer(survey_.questions()[question].question(), cell);
    if (!answer.ok()) {
      return WrongText(name_, number_, answer.error().message, answer.error().hint);
    }
    if (known.size() < kKnownMax) known.emplace(std::string(cell), *answer);
    return *answer;
  }

  const Survey& survey_;
  LineReader lines_;
  std::string name_;
  size_t number_ = 0;
  size_t columns_ = 0;
  std::vector<size_t> places_;  // the column of every question
  std::vector<std::string_view> cells_;
  std::vector<std::string> quoted_;
  std::vector<std::unordered_map<std::string, uint64_t>> known_;  // answers read before
};

// The reports of some people.
std::string Randomized(const Survey& survey, const std::vector<std::vector<uint64_t>>& people,
                       Coins& coins) {
  const std::vector<Randomizer>& questions = survey.questions();
  std::string text;
  const auto report = [&](size_t question, uint64_t answer) {
    const Randomizer& randomizer = questions[question];
    text += ReportLine(question, randomizer.Text(randomizer.Respond(answer, coins)));
  };
  for (const std::vector<uint64_t>& answers : people) {
    if (survey.asks() == Asks::kAll) {
      for (size_t i = 0; i < answers.size(); ++i) report(i, answers[i]);
    } else {
      const auto pick = static_cast<size_t>(SampleBelow(answers.size(), coins));
      report(pick, answers[pick]);
    }
  }
  return text;
}

// Where reports go: to a file that appears once it is whole, or to the terminal at the end.
class Sink {
 public:
  static Result<Sink> Open(const std::string& path) {
    if (path.empty()) return Sink(std::nullopt);
    TACET_TRY(OutputFile file, OutputFile::Create(path));
    return Sink(std::move(file));
  }
  Status Append(std::string_view text) {
    if (file_) return file_->Append(text);
    text_ += text;
    return {};
  }
  Status Finish(const Terminal& terminal) {
    if (file_) return file_->Commit("");
    terminal.Write(text_);
    return {};
  }

 private:
  explicit Sink(std::optional<OutputFile> file) : file_(std::move(file)) {}

  std::optional<OutputFile> file_;
  std::string text_;
};

Result<uint64_t> WritePanel(const Survey& survey, PanelReader& panel, Sink& sink) {
  constexpr size_t kPeopleAtOnce = 4096;
  SystemEntropy entropy;
  TACET_TRY(const BatchId batch, DrawBatchId(entropy));
  TACET_RETURN_IF_ERROR(sink.Append(BatchHeader(survey, batch)));
  uint64_t people = 0;
  for (bool more = true; more;) {
    std::vector<std::vector<uint64_t>> answers;
    while (more && answers.size() < kPeopleAtOnce) {
      TACET_TRY(auto person, panel.Next());
      more = person.has_value();
      if (more) answers.push_back(*std::move(person));
    }
    TACET_TRY(const std::string text,
              Draw(entropy, [&](Coins& coins) { return Randomized(survey, answers, coins); }));
    TACET_RETURN_IF_ERROR(sink.Append(text));
    people += answers.size();
  }
  const uint64_t reports = people * (survey.asks() == Asks::kAll ? survey.questions().size() : 1);
  TACET_RETURN_IF_ERROR(sink.Append(BatchEnd(reports)));
  return people;
}

}  // namespace

Status RandomizePanel(const LocalFlags& flags, const Terminal& terminal) {
  TACET_TRY(const Survey survey, ReadSurvey(flags.survey));
  if (terminal.json && flags.output.empty()) {
    return Error{.code = Code::kUsage,
                 .message = "reports are lines, not a JSON document",
                 .hint = "leave --json out, or write to a file with -o."};
  }
  using Closer = int (*)(std::FILE*);
  std::unique_ptr<std::FILE, Closer> opened(nullptr, std::fclose);
  std::FILE* file = terminal.in;
  if (flags.input != "-") {
    opened.reset(std::fopen(flags.input.c_str(), "rbe"));
    if (!opened) return WrongText(flags.input, 0, "cannot be read", "is that the panel's name?");
    file = opened.get();
  }
  PanelReader panel(survey, file, flags.input == "-" ? "standard input" : flags.input);
  TACET_RETURN_IF_ERROR(panel.ReadHeading());
  TACET_TRY(Sink sink, Sink::Open(flags.output));
  TACET_TRY(const uint64_t people, WritePanel(survey, panel, sink));
  TACET_RETURN_IF_ERROR(sink.Finish(terminal));
  const std::string loss = survey.Loss().ToString();
  if (terminal.json) {
    terminal.Print(DocumentText({{"survey", survey.name()},
                                 {"people", people},
                                 {"epsilon", loss},
                                 {"file", flags.output}}));
  }
  terminal.Aside(fmt::format("{} people, each at a loss of at most epsilon {}.\n", people,
                             survey.Loss().value().ToDoubleUp()));
  return {};
}

}  // namespace tacet::cli
