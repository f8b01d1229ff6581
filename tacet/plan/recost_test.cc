// SPDX-License-Identifier: Apache-2.0
#include "tacet/plan/recost.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tacet/catalog/parse.h"
#include "tacet/plan/plan.h"
#include "tacet/sql/parser.h"

namespace tacet {
namespace {

using Json = nlohmann::ordered_json;

const std::string kFolder = std::string(TACET_SOURCE_DIR) + "/tests/sql/";

Catalog ReadCatalog(const std::string& name) {
  std::ifstream file(kFolder + name + ".toml");
  const ParsedCatalog parsed = ParseCatalog(std::string(std::istreambuf_iterator<char>(file), {}));
  TACET_CHECK(parsed.catalog.has_value());
  return *parsed.catalog;
}

Result<Plan> PlanOf(const std::string& statement, bool is_pure, const char* epsilon = "1",
                    const char* delta = "1e-6") {
  static const Catalog pure = ReadCatalog("pure");
  static const Catalog approximate = ReadCatalog("approximate");
  TACET_TRY(const sql::Select select, sql::Parse(statement));
  return MakePlan(select, is_pure ? pure : approximate,
                  {.price = {.is_pure = is_pure,
                             .epsilon = *Epsilon::Create(*Rational::Parse(epsilon)),
                             .delta = *Delta::Create(*Rational::Parse(delta))}});
}

// The statements of all golden files, also of those that are refused.
std::vector<std::string> GoldenStatements() {
  std::vector<std::string> statements;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".test") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line != "plan" && line != "refuse") continue;
      std::string statement;
      while (std::getline(file, line) && line != "----") statement += line + "\n";
      statements.push_back(statement);
    }
  }
  return statements;
}

TEST(RecomputeCost, OfEveryGoldenPlanIsItsCost) {
  int plans = 0;
  for (const std::string& statement : GoldenStatements()) {
    for (const bool is_pure : {true, false}) {
      for (const char* epsilon : {"1/10", "1", "19"}) {
        const Result<Plan> plan = PlanOf(statement, is_pure, epsilon);
        if (!plan.ok()) continue;
        const Result<Cost> cost = RecomputeCost(plan->Bytes());
        ASSERT_TRUE(cost.ok()) << cost.error().message << "\n" << plan->Bytes();
        EXPECT_EQ(*cost, plan->cost) << plan->Bytes();
        ++plans;
      }
    }
  }
  EXPECT_GE(plans, 400);
}

TEST(RecomputeCost, ReadsFractionsOfAnyLengthThatAPriceCanHave) {
  const std::string epsilon = "1" + std::string(450, '3') + "/" + std::string(451, '7');
  for (const bool is_pure : {true, false}) {
    const Result<Plan> plan = PlanOf("SELECT count(*) FROM patients", is_pure, epsilon.c_str());
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    const Result<Cost> cost = RecomputeCost(plan->Bytes());
    ASSERT_TRUE(cost.ok()) << cost.error().message;
    EXPECT_EQ(*cost, plan->cost);
  }
}

std::string Written(const Json& json) { return json.dump(); }

// Every value inside `json`, leaves and lists and objects, by its place.
void CollectPlaces(const Json& json, const Json::json_pointer& at,
                   std::vector<Json::json_pointer>& places) {
  if (!at.empty()) places.push_back(at);
  if (json.is_object()) {
    for (const auto& item : json.items()) CollectPlaces(item.value(), at / item.key(), places);
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) CollectPlaces(json[i], at / i, places);
  }
}

// What could stand there instead.
std::vector<Json> Forgeries(const Json& value) {
  std::vector<Json> forged = {nullptr,
                              "",
                              "x",
                              "0",
                              "-1",
                              "1/0",
                              "2/4",
                              0,
                              -1,
                              1,
                              0.5,
                              true,
                              false,
                              Json::array(),
                              Json::object(),
                              1e300,
                              18446744073709551615U};
  if (value.is_number()) {
    const auto number = value.get<int64_t>();
    forged.insert(forged.end(), {number - 1, number + 1, number / 2, number * 2});
  }
  if (value.is_string()) {
    const Result<Rational> number = Rational::Parse(value.get<std::string>());
    if (number.ok()) {
      for (const Rational& factor : {Rational(1, 2), Rational(2), Rational(999'999, 1'000'000),
                                     Rational(1'000'001, 1'000'000), Rational(-1)}) {
        forged.push_back((*number * factor).ToString());
      }
    }
    forged.insert(forged.end(),
                  {"discrete_laplace", "discrete_gaussian", "sum", "persons", "rho", "epsilon"});
  }
  return forged;
}

// Where another value need not change the cost: names, what a step is worth, how many groups there
// are beside those that a person may be in, whether persons or their only rows are counted, an end
// of a row's range that is nearer to 0, and where rho adds up a price in epsilon that is higher.
bool IsHarmless(const std::string& place, const Json& record) {
  const std::string last = place.substr(place.rfind('/') + 1);
  if (std::set<std::string>{"statement", "table", "of", "step", "column", "domain", "kind"}.count(
          last) > 0) {
    return true;
  }
  if (place.starts_with("/keys") || place.find("/row/") != std::string::npos) return true;
  // Persons are counted once, however many rows they have; both formats write public plans alike.
  if (place == "/bounds/rows_in_all") return record["noise"][0]["kind"] == "persons";
  if (place == "/format") return record["public"] == true;
  return place == "/cost/epsilon" && record["cost"]["rho"] != "0";
}

const std::vector<std::string> kStatements = {
    "SELECT count(*) FROM patients",
    "SELECT sex, count(*), avg(income) FROM patients GROUP BY sex",
    "SELECT count(DISTINCT patient_id) FROM calls",
    "SELECT ward, sum(cost), count(DISTINCT patient_id) FROM visits GROUP BY ward",
    "SELECT month, sum(dose) FROM scans GROUP BY month",
    "SELECT sum(dose) FROM scans",
    "SELECT sum(balance) FROM patients WHERE age > 5",
    "SELECT count(*) FROM households",
    "SELECT beds FROM wards",
};

// Selecting keys by noise that also answers a count, by noise, and by the optimal rule.
std::vector<Plan> SelectingPlans() {
  return {*PlanOf("SELECT notes, count(*), avg(income) FROM patients GROUP BY notes", false),
          *PlanOf("SELECT seen, sum(cost) FROM visits GROUP BY seen", false),
          *PlanOf("SELECT notes, sex, count(*) FROM patients GROUP BY notes, sex", false, "1/10",
                  "1/20")};
}

// Returns how many forgeries of `plan` were noticed; the others must change nothing.
int ForgeEverything(const Plan& plan) {
  int noticed = 0;
  const Json record = Json::parse(plan.Bytes());
  std::vector<Json::json_pointer> places;
  CollectPlaces(record, Json::json_pointer(), places);
  for (const Json::json_pointer& place : places) {
    for (const Json& forgery : Forgeries(record[place])) {
      if (Written(forgery) == Written(record[place])) continue;
      Json forged = record;
      forged[place] = forgery;
      const Result<Cost> cost = RecomputeCost(Written(forged));
      if (!cost.ok()) {
        EXPECT_EQ(cost.error().code, Code::kData);
        ++noticed;
        continue;
      }
      EXPECT_TRUE(IsHarmless(place.to_string(), record))
          << place.to_string() << " = " << forgery << " in " << plan.Bytes();
      EXPECT_EQ(cost->rho, plan.cost.rho);
      EXPECT_EQ(cost->delta, plan.cost.delta);
      EXPECT_GE(cost->epsilon, plan.cost.epsilon) << place.to_string() << " " << forgery;
    }
  }
  return noticed;
}

TEST(RecomputeCost, NoticesEverySingleForgeryThatMatters) {
  int noticed = 0;
  for (const std::string& statement : kStatements) {
    for (const bool is_pure : {true, false}) {
      for (const char* epsilon : {"1/10", "19"}) {
        noticed += ForgeEverything(*PlanOf(statement, is_pure, epsilon));
      }
    }
  }
  EXPECT_GT(noticed, 5000);
}

TEST(RecomputeCost, NoticesEverySingleForgeryOfASelection) {
  const std::vector<Plan> plans = SelectingPlans();
  EXPECT_TRUE(plans[0].selection->shared && plans[1].selection->gaussian() != nullptr);
  EXPECT_NE(plans[2].selection->optimal(), nullptr);
  for (const Plan& plan : plans) EXPECT_GT(ForgeEverything(plan), 300);
}

TEST(RecomputeCost, NoticesWhatIsMissingAndWhatIsTooMuch) {
  std::vector<Plan> plans = SelectingPlans();
  for (const std::string& statement : kStatements) {
    for (const bool is_pure : {true, false}) plans.push_back(*PlanOf(statement, is_pure));
  }
  for (const Plan& plan : plans) {
    const Json record = Json::parse(plan.Bytes());
    std::vector<Json::json_pointer> places;
    CollectPlaces(record, Json::json_pointer(), places);
    places.emplace_back();
    for (const Json::json_pointer& place : places) {
      if (!place.empty()) {
        Json lacking = record;
        Json& parent = lacking[place.parent_pointer()];
        if (parent.is_object()) parent.erase(place.back());
        if (parent.is_array()) parent.erase(std::stoul(place.back()));
        // A key less makes fewer groups; a plan may have so many anyway where they are capped.
        const bool is_key = place.parent_pointer().to_string() == "/keys";
        const bool is_noticed = !RecomputeCost(Written(lacking)).ok();
        EXPECT_TRUE(is_noticed || is_key) << place.to_string() << " in " << record;
      }
      Json more = record;
      Json& there = more[place];
      if (there.is_object()) there["more"] = 1;
      if (there.is_array()) there.push_back(there.empty() ? Json(1) : there[0]);
      if (there.is_structured()) {
        const bool is_keys = place.to_string() == "/keys" && !record["keys"].empty();
        EXPECT_TRUE(!RecomputeCost(Written(more)).ok() || is_keys)
            << place.to_string() << " in " << record;
      }
    }
  }
}

TEST(RecomputeCost, ReadsOnlyWhatThePlannerWrites) {
  const std::string record = PlanOf("SELECT count(*) FROM patients", true)->Bytes();
  ASSERT_TRUE(RecomputeCost(record).ok());
  const std::string twice = R"({"format":2,)" + record.substr(1);
  std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("null"), std::string("[]"), record + " ",
        " " + record, record + record, record.substr(0, record.size() - 1), twice, deep,
        R"({"format":2,"public":true,"keys":)" + deep, "\xff" + record}) {
    const Result<Cost> cost = RecomputeCost(text);
    ASSERT_FALSE(cost.ok()) << text.substr(0, 100);
    EXPECT_EQ(cost.error().code, Code::kData);
  }
}

// As records were before anything was chosen.
Json InFormat3(const std::string& record) {
  Json json = Json::parse(record);
  json["format"] = 3;
  json.erase("choices");
  return json;
}

// As records were before keys were selected.
Json InFormat2(const std::string& record) {
  Json json = InFormat3(record);
  json["format"] = 2;
  json.erase("selection");
  return json;
}

// As records were before they had row ranges.
std::string InFormat1(const std::string& record) {
  Json json = InFormat2(record);
  json["format"] = 1;
  json.erase("measure");
  for (Json& one : json["noise"]) {
    one.erase("kind");
    one.erase("row");
  }
  return json.dump();
}

TEST(RecomputeCost, ReadsRecordsWithoutChoices) {
  for (const std::string& statement : kStatements) {
    for (const bool is_pure : {true, false}) {
      const Plan plan = *PlanOf(statement, is_pure);
      const Result<Cost> cost = RecomputeCost(Written(InFormat3(plan.Bytes())));
      ASSERT_TRUE(cost.ok()) << cost.error().message << "\n" << plan.Bytes();
      EXPECT_EQ(*cost, plan.cost);
    }
  }
  for (const Plan& plan : SelectingPlans()) {
    EXPECT_TRUE(RecomputeCost(Written(InFormat3(plan.Bytes()))).ok()) << plan.Bytes();
  }
  const Plan distinct = *PlanOf("SELECT count(DISTINCT sex) FROM patients", true);
  EXPECT_FALSE(RecomputeCost(Written(InFormat3(distinct.Bytes()))).ok());
}

TEST(RecomputeCost, OfWhatIsChosenIsThatOfItsRuleAndTheBounds) {
  const std::vector<std::string> statements = {
      "SELECT median(age) FROM patients",
      "SELECT ward, median(cost), percentile_disc(0.9) WITHIN GROUP (ORDER BY cost), count(*) "
      "FROM visits GROUP BY ward",
      "SELECT month, median(dose), min(dose), mode(month) FROM scans GROUP BY month",
      "SELECT ward, max(day) FROM visits GROUP BY ward",
  };
  for (const std::string& statement : statements) {
    for (const bool is_pure : {true, false}) {
      const Plan plan = *PlanOf(statement, is_pure);
      const Json record = Json::parse(plan.Bytes());
      const Result<Cost> cost = RecomputeCost(Written(record));
      ASSERT_TRUE(cost.ok()) << cost.error().message << record;
      EXPECT_EQ(*cost, plan.cost);
      const auto expect_noticed = [&](const char* field, const Json& value) {
        Json forged = record;
        if (forged["choices"][0][field] == value) return;
        forged["choices"][0][field] = value;
        EXPECT_FALSE(RecomputeCost(Written(forged)).ok()) << field << forged;
      };
      expect_noticed("epsilon", "1/1000");
      expect_noticed("epsilon", "1000");
      expect_noticed("epsilon", "0");
      expect_noticed("rows", 3);
      expect_noticed("groups", "1/3");
      expect_noticed("kind", "guess");
      expect_noticed("rule", "guess");
      expect_noticed("buckets", 0);
      expect_noticed("buckets", 1'000'000'000);
      expect_noticed("quantiles", Json::array({"1/2", "1/3"}));
      expect_noticed("quantiles", Json::array({"2"}));
      expect_noticed("quantiles", "1/2");
      Json fewer = record;
      fewer["choices"].erase(0);
      EXPECT_FALSE(RecomputeCost(Written(fewer)).ok()) << fewer;
    }
  }
}

TEST(RecomputeCost, ReadsRecordsWithoutSelections) {
  for (const std::string& statement : kStatements) {
    for (const bool is_pure : {true, false}) {
      const Plan plan = *PlanOf(statement, is_pure);
      const Result<Cost> cost = RecomputeCost(Written(InFormat2(plan.Bytes())));
      ASSERT_TRUE(cost.ok()) << cost.error().message << "\n" << plan.Bytes();
      EXPECT_EQ(*cost, plan.cost);
    }
  }
  for (const Plan& plan : SelectingPlans()) {
    EXPECT_FALSE(RecomputeCost(Written(InFormat2(plan.Bytes()))).ok()) << plan.Bytes();
  }
}

TEST(RecomputeCost, ReadsRecordsWithoutRowRanges) {
  for (const std::string& statement : kStatements) {
    for (const bool is_pure : {true, false}) {
      const Plan plan = *PlanOf(statement, is_pure);
      if (plan.is_public) continue;
      const std::string old = InFormat1(plan.Bytes());
      const Result<Cost> cost = RecomputeCost(old);
      ASSERT_TRUE(cost.ok()) << cost.error().message << "\n" << old;
      EXPECT_EQ(*cost, plan.cost);
      Json forged = Json::parse(old);
      forged["noise"][0]["l_infinity"] = "3";
      EXPECT_FALSE(RecomputeCost(Written(forged)).ok()) << old;
      forged = Json::parse(old);
      Json& noise = forged["noise"][0];
      const char* parameter = noise.contains("scale") ? "scale" : "variance";
      noise[parameter] =
          (*Rational::Parse(noise[parameter].get<std::string>()) / Rational(2)).ToString();
      EXPECT_FALSE(RecomputeCost(Written(forged)).ok()) << old;
    }
  }
}

TEST(RecomputeCost, SaysWhatIsWrong) {
  const auto complaint = [](const Json& record) {
    const Result<Cost> cost = RecomputeCost(Written(record));
    return cost.ok() ? "" : cost.error().message;
  };
  Json record = Json::parse(PlanOf("SELECT count(*) FROM patients", true)->Bytes());
  record["noise"][0]["scale"] = "1/2";
  EXPECT_EQ(complaint(record),
            "the recorded plan is wrong: its cost is epsilon 1, but its noise costs 2");
  record.erase("table");
  EXPECT_EQ(complaint(record),
            "the recorded plan is wrong: the plan lacks table, or it is misplaced");
}

}  // namespace
}  // namespace tacet
