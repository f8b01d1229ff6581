// SPDX-License-Identifier: Apache-2.0
#include "tacet/local/report_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/local/survey_testing.h"
#include "tacet/testing/seeded_entropy.h"

namespace tacet {
namespace {

using ::tacet::testing::SeededEntropy;

constexpr char kFirst[] = "00112233445566778899aabbccddeeff";
constexpr char kSecond[] = "ffeeddccbbaa99887766554433221100";

Survey Pets() { return *Survey::Create(ThreeQuestions(Asks::kOne)); }

std::string Batch(const Survey& survey, const std::string& id,
                  const std::vector<std::string>& lines) {
  std::string text = BatchHeader(survey, id);
  for (const std::string& line : lines) text += line + "\n";
  return text + BatchEnd(lines.size());
}

Status Collect(Collector& collector, const std::string& text, size_t piece = 7) {
  collector.Begin("reports.txt");
  for (size_t at = 0; at < text.size(); at += piece) {
    TACET_RETURN_IF_ERROR(collector.Feed(std::string_view(text).substr(at, piece)));
  }
  return collector.End();
}

TEST(Collector, AddsUpBatchesHoweverTheyAreCutIntoPieces) {
  const Survey survey = Pets();
  const std::string text = Batch(survey, kFirst, {"0 1", "0 0", "1 2", "2 1", "2 null"}) +
                           Batch(survey, kSecond, {"0 1"});
  for (const size_t piece : {size_t{1}, size_t{7}, text.size()}) {
    Collector collector(survey, false);
    const Status status = Collect(collector, text, piece);
    ASSERT_TRUE(status.ok()) << status.error().message;
    EXPECT_EQ(collector.tallies()[0].Counts(), (std::vector<uint64_t>{1, 2}));
    EXPECT_EQ(collector.tallies()[1].Counts(), (std::vector<uint64_t>{0, 0, 1}));
    EXPECT_EQ(collector.tallies()[2].nulls(), 1u);
    EXPECT_EQ(collector.batches(), 2u);
  }
}

TEST(Collector, TalliesAreReadBackAndMerged) {
  const Survey survey = Pets();
  Collector first(survey, false);
  ASSERT_TRUE(Collect(first, Batch(survey, kFirst, {"0 1", "1 0", "2 1"})).ok());
  Collector both(survey, false);
  ASSERT_TRUE(Collect(both, first.TallyText()).ok());
  EXPECT_EQ(both.TallyText(), first.TallyText());
  ASSERT_TRUE(Collect(both, Batch(survey, kSecond, {"0 0"})).ok());
  EXPECT_EQ(both.tallies()[0].reports(), 2u);
  // What is in a tally already is not counted again, and cannot be taken out of it.
  for (const bool skip : {false, true}) {
    Collector again(survey, skip);
    ASSERT_TRUE(Collect(again, Batch(survey, kFirst, {"0 1", "1 0", "2 1"})).ok());
    const Status status = Collect(again, both.TallyText());
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::kData);
  }
}

TEST(Collector, ABatchCountsOnce) {
  const Survey survey = Pets();
  const std::string text = Batch(survey, kFirst, {"0 1", "0 1"});
  Collector strict(survey, false);
  ASSERT_TRUE(Collect(strict, text).ok());
  const Status twice = Collect(strict, text);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().code, Code::kData);
  EXPECT_NE(twice.error().message.find("already"), std::string::npos);
  Collector lenient(survey, true);
  ASSERT_TRUE(Collect(lenient, text + text).ok());
  EXPECT_EQ(lenient.tallies()[0].reports(), 2u);
  EXPECT_EQ(lenient.skipped(), 1u);
}

TEST(Collector, EveryTruncationIsNoticed) {
  const Survey survey = Pets();
  Collector whole(survey, false);
  const std::string reports = Batch(survey, kFirst, {"0 1", "1 2", "2 1"});
  ASSERT_TRUE(Collect(whole, reports).ok());
  for (const std::string& text : {reports, whole.TallyText()}) {
    for (size_t size = 0; size < text.size(); ++size) {
      Collector collector(survey, false);
      const Status status = Collect(collector, text.substr(0, size), 1000);
      ASSERT_FALSE(status.ok()) << size;
      EXPECT_EQ(status.error().code, Code::kData);
    }
  }
}

TEST(Collector, EveryChangedByteOfATallyIsNoticed) {
  const Survey survey = Pets();
  Collector whole(survey, false);
  ASSERT_TRUE(Collect(whole, Batch(survey, kFirst, {"0 1", "1 2", "2 1"})).ok());
  const std::string text = whole.TallyText();
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'0', 'x', '\n', '\0'}) {
      if (text[i] == byte) continue;
      std::string changed = text;
      changed[i] = byte;
      Collector collector(survey, false);
      EXPECT_FALSE(Collect(collector, changed, 1000).ok()) << i;
    }
  }
}

TEST(Collector, OtherSurveysAndEpsilonsAreRefusedByName) {
  const Survey survey = Pets();
  const auto message = [&](SurveyDraft draft) {
    const Survey other = *Survey::Create(std::move(draft));
    Collector collector(survey, false);
    const Status status = Collect(collector, Batch(other, kFirst, {"0 1"}));
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::kData);
    return status.error().message + " " + status.error().hint;
  };
  SurveyDraft draft = ThreeQuestions(Asks::kOne);
  draft.name = "cars";
  EXPECT_NE(message(draft).find("another survey, cars"), std::string::npos);
  draft = ThreeQuestions(Asks::kOne);
  draft.questions[0].epsilon = *ExactEpsilon::Parse("2");
  EXPECT_NE(message(draft).find("epsilon"), std::string::npos);
  draft = ThreeQuestions(Asks::kOne);
  draft.questions[0].text = "Is it not so?";
  EXPECT_NE(message(draft).find("another version"), std::string::npos);
  draft = ThreeQuestions(Asks::kOne);
  draft.questions.pop_back();
  EXPECT_FALSE(message(draft).empty());
}

TEST(Collector, HostileFilesAreRefusedWithTheirLine) {
  const Survey survey = Pets();
  const std::string header = BatchHeader(survey, kFirst);
  for (const std::string& text :
       std::vector<std::string>{"",
                                "\n",
                                "hello\n",
                                "tacet-reports 2\n",
                                header + "end 1\n",
                                header + "0 1\nend 2\n",
                                header + "0 1\nend 01\n",
                                header + "0 2\nend 1\n",
                                header + "3 1\nend 1\n",
                                header + "0 -1\nend 1\n",
                                header + "0\nend 1\n",
                                header + "0 1 \nend 1\n",
                                header + " 0 1\nend 1\n",
                                header + "0 1\r\nend 1\n",
                                header + "1 3\nend 1\n",
                                header + "2 99999\nend 1\n",
                                header + "0 1\nend 1\ntrailing\n",
                                header + std::string(300, 'a'),
                                header + std::string("0 \0", 3) + "\nend 1\n",
                                header + "0 NULL\nend 1\n",
                                "tacet-reports 1\nsurvey pets\n"}) {
    Collector collector(survey, false);
    const Status status = Collect(collector, text, 64);
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.error().code, Code::kData);
    EXPECT_NE(status.error().message.find("'reports.txt', line "), std::string::npos);
  }
  // A line without end is given up, not kept.
  Collector collector(survey, false);
  collector.Begin("reports.txt");
  ASSERT_TRUE(collector.Feed(header).ok());
  const std::string chunk(1 << 20, '1');
  Status status;
  for (int i = 0; i < 64 && status.ok(); ++i) status = collector.Feed(chunk);
  EXPECT_FALSE(status.ok());
}

TEST(DrawBatchId, IsThirtyTwoDigitsThatDiffer) {
  SeededEntropy entropy(1);
  const BatchId one = *DrawBatchId(entropy);
  EXPECT_TRUE(IsBatchId(one));
  EXPECT_NE(one, *DrawBatchId(entropy));
  EXPECT_FALSE(IsBatchId(one + "0"));
  EXPECT_FALSE(IsBatchId("G" + one.substr(1)));
}

TEST(Collector, ATallyOfReportsNamesTheirBatches) {
  // Without names it could be counted any number of times.
  const Survey survey = *Survey::Create(OneQuestion("dog", "1", "4"));
  const auto tally = [&](const std::string& counts) {
    std::string text = BatchHeader(survey, kFirst);
    text.replace(0, text.find('\n'), "tacet-tally 1");
    text.erase(text.find("batch "), std::string(kFirst).size() + 7);
    text.replace(text.find("reports\n"), 8, "tally 0 " + counts + "\nbatches 0\n");
    return text + "end " + ToHex(Sha256(text)) + "\n";
  };
  Collector collector(survey, false);
  EXPECT_TRUE(Collect(collector, tally("0 0 0 0")).ok());
  for (const char* counts : {"2 0 1 1", "0 1 0 0"}) {
    Collector other(survey, false);
    const Status status = Collect(other, tally(counts));
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::kData);
  }
}

TEST(Survey, RefusesWhatNobodyCouldAnswer) {
  EXPECT_TRUE(Survey::Create(OneQuestion("dog", "1", "1")).ok());
  SurveyDraft draft = OneQuestion("dog", "2", "1");
  EXPECT_FALSE(Survey::Create(draft).ok());
  draft = OneQuestion("dog", "1", "1");
  draft.questions.push_back(draft.questions[0]);
  EXPECT_FALSE(Survey::Create(draft).ok());
  draft.questions.clear();
  EXPECT_FALSE(Survey::Create(draft).ok());
  draft = OneQuestion("dog", "1", "1");
  draft.budget = "my budget";
  EXPECT_FALSE(Survey::Create(draft).ok());
  // A device must be able to read the limit again.
  for (const std::string& limit : {std::string("0"), std::string("1e-10"), std::string("1e10"),
                                   "1." + std::string(400, '3'), std::string("1e3000")}) {
    draft = OneQuestion("dog", "1e-9", "1");
    EXPECT_TRUE(Survey::Create(draft).ok());
    draft.limit = *Rational::Parse(limit);
    EXPECT_FALSE(Survey::Create(draft).ok()) << limit;
  }
}

TEST(Survey, SplittingPeopleCostsTheDearestQuestionAndSplittingNothingCostsAll) {
  EXPECT_EQ(Survey::Create(ThreeQuestions(Asks::kOne))->Loss().value(), Rational(3, 2));
  const double all = Survey::Create(ThreeQuestions(Asks::kAll))->Loss().value().ToDouble();
  EXPECT_NEAR(all, 1 + 1.0986122886681098 + 1.5, 1e-12);
  EXPECT_NE(Survey::Create(ThreeQuestions(Asks::kOne))->digest(),
            Survey::Create(ThreeQuestions(Asks::kAll))->digest());
}

TEST(Survey, SplittingPeopleBeatsSplittingTheBudget) {
  // m questions: n/m people at epsilon, or n people at epsilon/m each.
  for (const char* text : {"1/2", "1", "2"}) {
    for (const int64_t questions : {2, 5}) {
      const ExactEpsilon epsilon = *ExactEpsilon::Parse(text);
      const ExactEpsilon part{.linear = epsilon.linear / Rational(questions)};
      const double people =
          DirectVariance(2, epsilon, 128).Low().ToDouble() * static_cast<double>(questions);
      EXPECT_LT(people, DirectVariance(2, part, 128).Low().ToDouble());
    }
  }
}

}  // namespace
}  // namespace tacet
