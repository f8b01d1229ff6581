// SPDX-License-Identifier: Apache-2.0
#include "tacet/catalog/parse.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "tacet/base/suggest.h"
#include "tacet/base/version.h"
#include "tacet/catalog/identifier.h"
#include "tacet/catalog/section.h"
#include "tacet/catalog/table_reader.h"

namespace tacet {
namespace {

// A larger text is no catalog: long lists of values belong in a public table.
constexpr size_t kTextBytesMax = size_t{16} << 20;
// How many queries at the default delta the selection share pays for.
constexpr int64_t kQueriesPerShare = 1000;

constexpr std::array<std::string_view, 5> kKeys = {"budget", "person", "query", "tables",
                                                   "analysts"};
constexpr std::array<std::string_view, 5> kBudgetKeys = {"epsilon", "delta", "exhausted",
                                                         "selection_share", "classes"};
constexpr std::array<std::string_view, 1> kPersonKeys = {"type"};
constexpr std::array<std::string_view, 2> kQueryKeys = {"epsilon", "delta"};
constexpr std::array<std::string_view, 1> kAnalystKeys = {"epsilon"};
constexpr std::array<std::string_view, 2> kExhausted = {"refuse", "exclude"};
constexpr std::array<std::string_view, 2> kPersonKeyTypes = {"text", "integer"};

class CatalogReader {
 public:
  CatalogReader(const Node& root, Problems& problems)
      : root_(&root, "the catalog", kKeys, problems), problems_(problems) {}

  Catalog Read() {
    ReadBudget();
    const Section person(root_.Find("person"), "[person]", kPersonKeys, problems_);
    catalog_.person_key =
        static_cast<PersonKeyType>(person.Choice("type", kPersonKeyTypes).value_or(0));
    ReadQuery();
    catalog_.tables = ReadTables(root_.Find("tables"), catalog_.person_key, problems_);
    ReadAnalysts();
    CheckClasses();
    return std::move(catalog_);
  }

 private:
  // The entries of a section whose keys are names of the owner's choice.
  const std::vector<Entry>& NamedEntries(const Node* node, const std::string& name) {
    static const std::vector<Entry> kNone;
    if (node == nullptr) return kNone;
    if (node->kind != Node::Kind::kTable) {
      problems_.push_back({node->position,
                           name + " must be a section, not " + std::string(KindName(*node)),
                           "write [" + name + "] on a line of its own."});
    }
    for (const Entry& entry : node->entries) {
      if (!entry.key.empty() && !HasInvisible(entry.key)) continue;
      problems_.push_back(
          {entry.position,
           name + ": a name is empty or has an invisible character: " + Quoted(entry.key),
           "choose a name that can be seen."});
    }
    return node->entries;
  }

  void ReadBudget() {
    const Node* node = root_.Find("budget");
    const Section section(node, "[budget]", kBudgetKeys, problems_);
    const std::string hint = "write epsilon = \"1\" under [budget]: what a person may ever lose.";
    if (node == nullptr) {
      problems_.push_back({{}, "there is no [budget]", hint});
    } else if (node->kind == Node::Kind::kTable && !section.Has("epsilon")) {
      section.Complain("epsilon", "is missing", hint);
    }
    BudgetDeclaration& budget = catalog_.budget;
    if (const auto epsilon = section.PositiveNumber("epsilon")) budget.epsilon = *epsilon;
    budget.delta = section.Fraction("delta");
    budget.exhausted = static_cast<Exhausted>(section.Choice("exhausted", kExhausted).value_or(0));
    budget.selection_share = section.Fraction("selection_share").value_or(Rational(1, 2));
    if (section.Has("selection_share") && !section.Has("delta")) {
      section.Complain("selection_share", "is a part of delta, which is not given",
                       "add delta = \"1e-9\", or remove it.");
    }
    classes_ = section.Find("classes");
    for (const Entry& entry : NamedEntries(classes_, "budget.classes")) {
      const auto epsilon =
          ReadPositiveNumber(entry.value, "[budget.classes]: " + Shown(entry.key), problems_);
      if (epsilon) budget.classes.push_back({.name = entry.key, .epsilon = *epsilon});
    }
  }

  void ReadQuery() {
    const Section section(root_.Find("query"), "[query]", kQueryKeys, problems_);
    const BudgetDeclaration& budget = catalog_.budget;
    QueryDefaults& query = catalog_.query;
    query.epsilon = section.PositiveNumber("epsilon");
    if (query.epsilon && budget.epsilon.sign() > 0 && *query.epsilon > budget.epsilon) {
      section.Complain("epsilon", "is more than the whole budget of " + budget.epsilon.ToString(),
                       "no such query could be answered; write less.");
    }
    query.delta = section.Fraction("delta");
    if (!budget.delta) {
      const Node* node = root_.Find("budget");
      const bool pure = node == nullptr || node->Find("delta") == nullptr;
      if (pure && section.Has("delta")) {
        section.Complain("delta", "does not go with a pure budget",
                         "remove it, or add delta under [budget].");
      }
      return;
    }
    if (!query.delta && !section.Has("delta")) {
      query.delta = budget.selection_delta() / kQueriesPerShare;
    }
    if (query.delta && *query.delta > budget.selection_delta()) {
      section.Complain("delta",
                       "is more than the selection share of " + budget.selection_delta().ToString(),
                       "no such query could be answered; write less.");
    }
  }

  void ReadAnalysts() {
    for (const Entry& entry : NamedEntries(root_.Find("analysts"), "analysts")) {
      const std::string name = "analyst " + Shown(entry.key);
      const Section section(&entry.value, name, kAnalystKeys, problems_);
      if (entry.value.kind == Node::Kind::kTable && !section.Has("epsilon")) {
        section.Complain("epsilon", "is missing", "write epsilon = \"1\", or remove the analyst.");
      }
      const auto epsilon = section.PositiveNumber("epsilon");
      if (epsilon) catalog_.analysts.push_back({.name = entry.key, .epsilon = *epsilon});
    }
  }

  // Classes and the column that says who is in which need each other.
  void CheckClasses() {
    const Table* holder = nullptr;
    for (const Table& table : catalog_.tables) {
      if (!table.budget_class) continue;
      const Position position =
          root_.Find("tables")->Find(table.name)->Find("budget_class")->position;
      const std::string what = "table " + Shown(table.name) + ": budget_class";
      if (holder != nullptr) {
        problems_.push_back({position,
                             what + " is given by table " + Quoted(holder->name) + " already",
                             "keep one of the two."});
      } else if (classes_ == nullptr) {
        problems_.push_back({position, what + " needs [budget.classes]",
                             "give every class its limit there, or remove budget_class."});
      }
      holder = holder == nullptr ? &table : holder;
    }
    if (classes_ == nullptr || classes_->kind != Node::Kind::kTable) return;
    if (holder == nullptr) {
      if (!NamesBudgetClass()) {
        problems_.push_back({classes_->position, "[budget.classes]: no table has a budget_class",
                             "write budget_class = \"COLUMN\" on the person's table."});
      }
      return;
    }
    const std::vector<std::string>& texts = holder->columns[*holder->budget_class].texts;
    for (const Entry& entry : classes_->entries) {
      if (std::find(texts.begin(), texts.end(), entry.key) != texts.end()) continue;
      const std::vector<std::string_view> names(texts.begin(), texts.end());
      problems_.push_back({entry.position,
                           "[budget.classes]: " + Quoted(entry.key) + " is no value of column " +
                               Shown(holder->name) + "." +
                               Shown(holder->columns[*holder->budget_class].name),
                           SuggestionHint(entry.key, names)});
    }
  }

  // Whether some table has the key, rightly or wrongly.
  bool NamesBudgetClass() const {
    const Node* tables = root_.Find("tables");
    return tables != nullptr &&
           std::any_of(tables->entries.begin(), tables->entries.end(), [](const Entry& entry) {
             return entry.value.Find("budget_class") != nullptr;
           });
  }

  Section root_;
  Problems& problems_;
  const Node* classes_ = nullptr;
  Catalog catalog_;
};

}  // namespace

namespace {

// Whether it has nothing of a catalog, and so must be another file.
std::optional<Problem> FindOtherText(const Node& root) {
  if (root.entries.empty()) {
    return Problem{.position = {},
                   .message = "the catalog is empty",
                   .hint = "'tacet init SOURCE --person COLUMN' drafts one."};
  }
  for (const std::string_view mark : {"format", "version"}) {
    if (root.Find(mark) == nullptr) continue;
    return Problem{
        .position = root.Find(mark)->position,
        .message = "the catalog says " + std::string(mark) + ", which no catalog of this Tacet has",
        .hint = std::string("this is Tacet ") + kVersion +
                "; a catalog for a newer one needs that one."};
  }
  const auto is_known = [](const Entry& entry) { return !Suggest(entry.key, kKeys).empty(); };
  if (std::any_of(root.entries.begin(), root.entries.end(), is_known)) return std::nullopt;
  return Problem{.position = {},
                 .message = "this is TOML, but no catalog: it has none of a catalog's keys",
                 .hint =
                     "a catalog has [budget] and [tables.NAME]; name another file with "
                     "--catalog, or draft one with 'tacet init'."};
}

}  // namespace

ParsedCatalog ParseCatalog(std::string_view text) {
  ParsedCatalog parsed;
  if (text.size() > kTextBytesMax) {
    parsed.problems.push_back(
        {{},
         "the catalog is larger than 16 MiB",
         "put long lists of values into a public table: values = \"wards.ward\"."});
    return parsed;
  }
  const std::variant<Node, Problem> document = ReadDocument(text);
  if (const auto* problem = std::get_if<Problem>(&document)) {
    parsed.problems.push_back(*problem);
    return parsed;
  }
  if (std::optional<Problem> other = FindOtherText(std::get<Node>(document))) {
    parsed.problems.push_back(*std::move(other));
    return parsed;
  }
  Catalog catalog = CatalogReader(std::get<Node>(document), parsed.problems).Read();
  if (parsed.problems.empty()) {
    parsed.catalog = std::move(catalog);
  } else {
    std::stable_sort(parsed.problems.begin(), parsed.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.position < b.position; });
  }
  return parsed;
}

Result<Catalog> LoadCatalog(FileSystem& files, const std::string& path) {
  TACET_TRY(const std::string text, files.Read(path));
  ParsedCatalog parsed = ParseCatalog(text);
  if (!parsed.catalog) return CatalogError(path, parsed.problems);
  return *std::move(parsed.catalog);
}

}  // namespace tacet
