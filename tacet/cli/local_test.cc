// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tacet/cli/run_testing.h"

namespace tacet::cli {
namespace {

constexpr char kSurvey[] = R"toml([survey]
name = "commute"
text = "How people come to work"

[budget]
name = "work"
epsilon = "2"

[questions.smokes]
type = "yes-no"
text = "Do you smoke?"
epsilon = "1"
)toml";

constexpr char kThree[] = R"toml([survey]
name = "three"
asks = "all"

[budget]
name = "work"
epsilon = "10"
exhausted = "null"

[questions.smokes]
type = "yes-no"
coin_toss = true

[questions.transport]
type = "choice"
values = ["bus", "car", "bike"]
epsilon = "ln(3)"
method = "unary"

[questions.hours]
type = "number"
range = [0, 24]
grid = "1/4"
epsilon = "3"
)toml";

class LocalCommand : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
  }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  // In the folder, with names of files as they are.
  Ran Local(const std::string& words) const {
    const std::string errors = Path("errors");
    Ran ran = RunLine("cd " + folder_.path() + " && " + TACET_PROGRAM + " local " + words + " 2>" +
                      errors);
    ran.err = Read("errors");
    return ran;
  }
  std::string Panel(int people) const {
    std::string panel = "name,smokes,transport,hours\n";
    for (int i = 0; i < people; ++i) {
      panel += "p" + std::to_string(i) + (i % 4 == 0 ? ",yes" : ",no") +
               (i % 2 == 0 ? ",bus," : ",\"car\",") + std::to_string(6 + i % 5) + ".25\n";
    }
    return panel;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(LocalCommand, APanelIsRandomisedAndEstimated) {
  Write("s.toml", kThree);
  Write("panel.csv", Panel(4000));
  ASSERT_EQ(Local("randomize --survey s.toml --input panel.csv -o r.txt").status, 0);
  const Ran ran = Local("estimate --survey s.toml r.txt --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const nlohmann::json document = ran.Json();
  // Five margins of 95%: an error of more than that happens once in 1e20 times.
  const auto near = [](const nlohmann::json& value, const nlohmann::json& margin, double truth) {
    return std::fabs(value.get<double>() - truth) < 5 * margin.get<double>();
  };
  const nlohmann::json& estimate = document["estimate"];
  const nlohmann::json& margin = document["margin"];
  EXPECT_TRUE(near(estimate["smokes"], margin["smokes"], 0.25));
  EXPECT_TRUE(near(estimate["transport"]["bus"], margin["transport"]["bus"], 0.5));
  EXPECT_TRUE(near(estimate["transport"]["bike"], margin["transport"]["bike"], 0));
  EXPECT_TRUE(near(estimate["hours"], margin["hours"], 8.25));
  EXPECT_LT(margin["smokes"].get<double>(), 0.05);
  const Ran table = Local("estimate --survey s.toml r.txt --plot --simplex --svg bars.svg");
  EXPECT_EQ(table.status, 0);
  EXPECT_TRUE(table.Says("├"));
  EXPECT_TRUE(table.Says("±"));
  EXPECT_TRUE(table.Says("transport"));
  EXPECT_NE(Read("bars.svg").find("</svg>"), std::string::npos);
}

TEST_F(LocalCommand, MergingBatchesIsTheSameAsEstimatingAll) {
  Write("s.toml", kSurvey);
  Write("panel.csv", "smokes\nyes\nno\nno\n");
  for (const char* file : {"a.txt", "b.txt"}) {
    ASSERT_EQ(Local(std::string("randomize --survey s.toml --input panel.csv -o ") + file).status,
              0);
  }
  ASSERT_EQ(Local("merge --survey s.toml a.txt b.txt -o both.tally").status, 0);
  const Ran merged = Local("estimate --survey s.toml both.tally --json");
  const Ran apart = Local("estimate --survey s.toml a.txt b.txt --json");
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(merged.Json()["estimate"], apart.Json()["estimate"]);
  EXPECT_EQ(merged.Json()["questions"][0]["reports"], 6);
  // A batch counts once, also inside of a tally.
  EXPECT_EQ(Local("estimate --survey s.toml a.txt a.txt").status, 3);
  EXPECT_EQ(Local("estimate --survey s.toml a.txt a.txt --skip-duplicates").status, 0);
  EXPECT_EQ(Local("estimate --survey s.toml both.tally a.txt").status, 3);
  const Ran bad = Local("merge --survey s.toml both.tally a.txt -o both.tally");
  EXPECT_EQ(bad.status, 3);
  EXPECT_TRUE(bad.Says("already"));
  EXPECT_EQ(Local("estimate --survey s.toml both.tally").status, 0);  // what was there stays
}

TEST_F(LocalCommand, BadPanelsExitThreeAndWriteNothing) {
  Write("s.toml", kThree);
  const std::string heading = "smokes,transport,hours\n";
  for (const std::string& panel :
       {std::string(""), std::string("smokes,transport\nyes,bus\n"), heading + "yes,bus\n",
        heading + "yes,bus,7\nyes,tram,7\n", heading + "yes,bus,7\n,bus,7\n",
        heading + "yes,bus,25\n", heading + "yes,bus,x\n", heading + "maybe,bus,7\n",
        heading + "yes,\"bus,7\n", std::string("smokes,smokes,transport,hours\nyes,yes,bus,7\n")}) {
    Write("panel.csv", panel);
    const Ran ran = Local("randomize --survey s.toml --input panel.csv -o r.txt");
    EXPECT_EQ(ran.status, 3) << panel;
    EXPECT_TRUE(ran.Says("panel.csv")) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(Path("r.txt"))) << panel;
    const Ran printed = Local("randomize --survey s.toml --input panel.csv");
    EXPECT_EQ(printed.status, 3);
    EXPECT_EQ(printed.out, "");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().string().find(".new"), std::string::npos) << entry.path();
  }
}

TEST_F(LocalCommand, BadReportFilesExitThree) {
  Write("s.toml", kSurvey);
  Write("panel.csv", "smokes\nyes\nno\n");
  ASSERT_EQ(Local("randomize --survey s.toml --input panel.csv -o r.txt").status, 0);
  const std::string good = Read("r.txt");
  Write("cut.txt", good.substr(0, good.size() - 3));
  Write("empty.txt", "");
  Write("hostile.txt", good.substr(0, good.find("reports\n") + 8) + "0 9\nend 1\n");
  Write("other.toml",
        std::string(kSurvey).replace(std::string(kSurvey).rfind("\"1\""), 3, "\"2\""));
  for (const char* file : {"cut.txt", "empty.txt", "hostile.txt", "panel.csv", "missing.txt"}) {
    const Ran ran = Local(std::string("estimate --survey s.toml ") + file);
    EXPECT_EQ(ran.status, 3) << file << ran.err;
    EXPECT_TRUE(ran.Says(file));
    EXPECT_EQ(ran.out, "");
  }
  const Ran other = Local("estimate --survey other.toml r.txt");
  EXPECT_EQ(other.status, 3);
  EXPECT_TRUE(other.Says("epsilon")) << other.err;
  const Ran json = Local("estimate --survey s.toml cut.txt --json");
  EXPECT_EQ(json.Json()["error"]["code"], "data");
}

TEST_F(LocalCommand, BadSurveysExitThreeWithTheirLine) {
  const std::string good = kThree;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  Write("panel.csv", "smokes,transport,hours\n");
  for (const std::string& text :
       {with("name = \"three\"", "name = \"two words\""), with("asks = \"all\"", "asks = \"some\""),
        with("epsilon = \"10\"", "epsilon = \"1\""), with("epsilon = \"10\"", "epsilon = 0.1"),
        with("coin_toss = true", "coin_toss = true\nepsilon = \"1\""),
        with("coin_toss = true", "gamma = \"1/2\""), with("coin_toss = true", "epsilon = \"-1\""),
        with("\"unary\"", "\"two-point\""), with("\"bike\"", "\"bus\""),
        with("range = [0, 24]", "range = [24, 0]"),
        with("grid = \"1/4\"", "grid = \"1/7\"\nrage = 1"),
        with("type = \"number\"", "typo = \"number\""), std::string("not toml")}) {
    Write("s.toml", text);
    const Ran ran = Local("randomize --survey s.toml --input panel.csv");
    EXPECT_EQ(ran.status, 3) << text << ran.err;
    EXPECT_TRUE(ran.Says("s.toml"));
    EXPECT_TRUE(ran.Says("hint: "));
  }
  Write("s.toml", good);
  EXPECT_EQ(Local("randomize --survey s.toml --input panel.csv").status, 0);
  EXPECT_EQ(Local("randomize --survey missing.toml --input panel.csv").status, 3);
  EXPECT_EQ(Local("randomize --input panel.csv").status, 2);
}

TEST_F(LocalCommand, B2ADeviceAnswersOnceAndThenSaysTheSameForLife) {
  Write("s.toml", kSurvey);
  const std::string answer = "answer --survey s.toml --state device ";
  const Ran first = Local(answer + "--value yes");
  ASSERT_EQ(first.status, 0) << first.err;
  for (const char* value : {"no", "yes", "no"}) {
    const Ran again = Local(answer + "--value " + value);
    EXPECT_EQ(again.out, first.out);
    EXPECT_TRUE(again.Says("memorised"));
  }
  // Other questions on the same budget of 2: one more fits, a third does not.
  std::string survey = kSurvey;
  const auto ask = [&](const std::string& name) {
    std::string text = survey;
    text.replace(text.find("questions.smokes"), 16, "questions." + name);
    Write("other.toml", text);
    return Local("answer --survey other.toml --state device --value yes --json");
  };
  EXPECT_EQ(ask("drinks").Json()["spent"], "2");
  const Ran exhausted = ask("runs");
  EXPECT_EQ(exhausted.status, 1);
  EXPECT_EQ(exhausted.Json()["error"]["code"], "budget");
  // Marked as null, if the survey says so.
  survey.replace(survey.find("epsilon = \"2\""), 13, "epsilon = \"2\"\nexhausted = \"null\"");
  const Ran null = ask("swims");
  EXPECT_EQ(null.status, 0);
  EXPECT_NE(null.Json()["reports"][0]["report"].get<std::string>().find("0 null\n"),
            std::string::npos);
  struct stat state = {};
  ASSERT_EQ(::stat(Path("device").c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
}

TEST_F(LocalCommand, AValueIsLookedAtOnlyWhereItIsRandomisedNow) {
  Write("s.toml", kSurvey);
  const std::string answer = "answer --survey s.toml --state device ";
  const Ran first = Local(answer + "--value yes");
  ASSERT_EQ(first.status, 0) << first.err;
  // Memorised, and below exhausted: the same happens whatever the value is, or without one.
  for (const char* value : {"--value maybe", "--value ''", ""}) {
    const Ran again = Local(answer + value);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.out, first.out);
  }
  std::string dear = kSurvey;
  dear.replace(dear.rfind("epsilon = \"1\""), 13, "epsilon = \"2\"");
  Write("dear.toml", dear);
  EXPECT_EQ(Local("answer --survey dear.toml --state device --value maybe").status, 1);
  EXPECT_EQ(Local("answer --survey dear.toml --state device --value yes").status, 1);
  // Of several questions one is drawn; the values of the others do not matter.
  Write("one.toml", std::string(kThree).replace(std::string(kThree).find("\"all\""), 5, "\"one\""));
  int sent = 0;
  for (const char* values : {"smokes=maybe --value transport=car --value hours=7",
                             "smokes=yes --value transport=tram --value hours=7",
                             "smokes=yes --value transport=car --value hours=25"}) {
    const Ran ran = Local("answer --survey one.toml --state picked --value " + std::string(values));
    if (ran.status == 0) ++sent;
    EXPECT_TRUE(ran.status == 0 || ran.status == 3) << ran.err;
  }
  EXPECT_GE(sent, 2);
  // Where all are asked and one is wrong, nothing is spent on the others.
  Write("all.toml", kThree);
  EXPECT_EQ(Local("answer --survey all.toml --state all --value smokes=yes --value transport=car "
                  "--value hours=25")
                .status,
            3);
  EXPECT_FALSE(std::filesystem::exists(Path("all")));
}

TEST_F(LocalCommand, StatesThatCannotBeTrustedAreRefused) {
  Write("s.toml", kSurvey);
  const std::string answer = "answer --survey s.toml --state device --value yes";
  ASSERT_EQ(Local(answer).status, 0);
  const std::string state = Read("device");
  Write("device", state.substr(0, state.size() / 2));
  const Ran damaged = Local(answer);
  EXPECT_EQ(damaged.status, 4);
  EXPECT_TRUE(damaged.Says("damaged"));
  EXPECT_EQ(damaged.out, "");
  Write("device", state);
  ASSERT_EQ(::chmod(Path("device").c_str(), 0644), 0);
  EXPECT_EQ(Local(answer).status, 4);
  ASSERT_EQ(::chmod(Path("device").c_str(), 0600), 0);
  EXPECT_EQ(Local(answer).status, 0);
  // Under a second name an old state would live on.
  std::filesystem::create_hard_link(Path("device"), Path("twin"));
  const Ran linked = Local(answer);
  EXPECT_EQ(linked.status, 4);
  EXPECT_TRUE(linked.Says("hard link"));
  std::filesystem::remove(Path("twin"));
  EXPECT_EQ(Local(answer).status, 0);
  // Nothing is spent on what is no answer.
  for (const char* value : {"maybe", "''"}) {
    EXPECT_EQ(Local(std::string("answer --survey s.toml --state new --value ") + value).status, 3);
  }
  EXPECT_FALSE(std::filesystem::exists(Path("new")));
  EXPECT_EQ(Local("answer --survey s.toml --state new").status, 2);
}

TEST_F(LocalCommand, SeveralQuestionsAreNamedAndOneOrAllAreAnswered) {
  Write("all.toml", kThree);
  const std::string values = " --value smokes=yes --value transport=car --value hours=7.5";
  const Ran all = Local("answer --survey all.toml --state a" + values + " --json");
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(all.Json()["reports"].size(), 3u);
  Write("one.toml", std::string(kThree).replace(std::string(kThree).find("\"all\""), 5, "\"one\""));
  const Ran one = Local("answer --survey one.toml --state b" + values + " --json");
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.Json()["reports"].size(), 1u);
  EXPECT_EQ(Local("answer --survey one.toml --state b" + values + " --json").out.substr(0, 0), "");
  EXPECT_EQ(Local("answer --survey all.toml --state c --value smokes=yes").status, 3);
  EXPECT_EQ(Local("answer --survey all.toml --state c --value smoke=yes").status, 2);
  // Reports of devices are estimated like those of a panel.
  const Ran device = Local("answer --survey all.toml --state a" + values + " > device.txt");
  EXPECT_EQ(Local("estimate --survey all.toml device.txt").status, 0);
}

TEST_F(LocalCommand, ShufflingPrintsWhatTheReferenceSays) {
  const Ran ran = Local("shuffle --epsilon 2 --people 10000 --delta 1e-8 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NEAR(ran.Json()["any"]["upper"].get<double>(), 0.196623999411, 1e-9);
  EXPECT_LT(ran.Json()["randomized_response"]["upper"].get<double>(), 0.145976171735);
  // What is printed with seven digits still encloses it.
  for (const char* people : {"100", "10000", "300"}) {
    const std::string shuffle = std::string("shuffle --epsilon 2 -q --people ") + people;
    const Ran exact = Local(shuffle + " --json");
    std::istringstream table(Local(shuffle).out);
    for (const auto& [name, row] :
         {std::pair("any", "clones"), {"randomized_response", "exactly"}}) {
      std::string word;
      while (table >> word && word != row) {
      }
      double lower = 1;
      double upper = 0;
      table >> lower >> upper;
      EXPECT_LE(lower, exact.Json()[name]["lower"].get<double>()) << people << name;
      EXPECT_GE(upper, exact.Json()[name]["upper"].get<double>()) << people << name;
    }
  }
  EXPECT_EQ(Local("shuffle --epsilon 2 --people 10000 --delta 2").status, 2);
  EXPECT_EQ(Local("shuffle --epsilon 2").status, 2);
}

TEST_F(LocalCommand, HelpShowsTwoExamples) {
  for (const char* part : {"", "randomize ", "estimate ", "merge ", "answer ", "shuffle "}) {
    const Ran ran = Local(std::string(part) + "--help");
    EXPECT_EQ(ran.status, 0);
    const size_t examples = ran.out.find("Examples:");
    ASSERT_NE(examples, std::string::npos) << part;
    const size_t first = ran.out.find("tacet local", examples);
    EXPECT_NE(ran.out.find("tacet local", first + 1), std::string::npos) << part;
  }
  EXPECT_EQ(Local("randomise").status, 2);
}

}  // namespace
}  // namespace tacet::cli
