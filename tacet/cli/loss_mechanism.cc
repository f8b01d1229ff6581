// SPDX-License-Identifier: Apache-2.0
#include "tacet/cli/loss_mechanism.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "tacet/base/suggest.h"
#include "tacet/cli/mechanism_text.h"
#include "tacet/measure/gaussian.h"

namespace tacet::cli {
namespace {

struct Parameter {
  std::string value;
  std::optional<size_t> position;  // in the text of the mechanism
};

// What was given, by name. Reading fails at the place where the number is.
class Parameters {
 public:
  explicit Parameters(std::map<std::string, Parameter> given) : given_(std::move(given)) {}

  bool Has(const std::string& name) const { return given_.contains(name); }

  Result<Rational> Number(const std::string& name) const {
    return At(name, [](const std::string& text) { return Rational::Parse(text); });
  }
  Result<Rational> NumberOr(const std::string& name, const Rational& otherwise) const {
    if (!Has(name)) return otherwise;
    return Number(name);
  }
  Result<ExactEpsilon> Epsilon() const {
    return At("epsilon", [](const std::string& text) { return ExactEpsilon::Parse(text); });
  }
  // Between 0 and 1, without either: 0 would be no delta, and 1 promises nothing.
  Result<Rational> Delta() const {
    return At("delta", [](const std::string& text) -> Result<Rational> {
      TACET_TRY(const Rational delta, Rational::Parse(text));
      if (delta.sign() <= 0 || delta >= Rational(1)) {
        return Error{.code = Code::kUsage, .message = "delta must be between 0 and 1"};
      }
      return delta;
    });
  }

  // `name(a, b=c)` in the order of `parameters`.
  std::string Text(const std::string& name, const std::vector<std::string>& parameters) const {
    std::string text;
    bool in_order = true;
    for (const std::string& parameter : parameters) {
      const auto found = given_.find(parameter);
      in_order = in_order && found != given_.end() && (text.empty() || parameter == "delta");
      if (found == given_.end()) continue;
      text += (text.empty() ? "" : ", ") + (in_order ? "" : parameter + "=") + found->second.value;
    }
    return text.empty() ? name : name + "(" + text + ")";
  }

 private:
  template <typename Parse>
  auto At(const std::string& name, Parse parse) const -> decltype(parse(std::string())) {
    const Parameter& parameter = given_.at(name);
    auto value = parse(parameter.value);
    if (value.ok()) return value;
    Error error = value.error();
    error.position = parameter.position;
    if (!parameter.position) error.message = "--" + name + ": " + error.message;
    return error;
  }

  std::map<std::string, Parameter> given_;
};

constexpr char kRefused[] =
    "refused as a mechanism for answers: with that probability somebody's row is published";

ResponseMechanism OfRatio(const Rational& ratio) {
  return {{.linear = Rational(0), .ratio = ratio}, Rational(0)};
}

Result<LossMechanism> CoinToss(const Parameters&) {
  return LossMechanism{.text = {},
                       .about = "heads: the truth; tails: a second coin decides",
                       .refused = {},
                       .what = OfRatio(Rational(3))};
}

Result<LossMechanism> Response(const Parameters& given) {
  LossMechanism mechanism{
      .text = {},
      .about = "the truth with probability e^epsilon/(1 + e^epsilon), else a lie",
      .refused = {},
      .what = ResponseMechanism{}};
  if (given.Has("gamma") == given.Has("epsilon")) {
    return Error{.code = Code::kUsage,
                 .message = "randomized_response needs either --epsilon or --gamma",
                 .hint = "for example: tacet loss randomized-response --epsilon 1"};
  }
  if (given.Has("gamma")) {
    TACET_TRY(const Rational gamma, given.Number("gamma"));
    TACET_TRY(const Channel channel, ResponseChannelOfGamma(gamma));
    mechanism.about = "the truth with probability 1/2 + gamma, else a lie";
    mechanism.what = OfRatio(*channel.Pair(0, 1).Worst().ratio);
    return mechanism;
  }
  TACET_TRY(const ExactEpsilon epsilon, given.Epsilon());
  mechanism.what = ResponseMechanism{epsilon, Rational(0)};
  return mechanism;
}

Result<LossMechanism> Leaky(const Parameters& given) {
  TACET_TRY(const ExactEpsilon epsilon, given.Epsilon());
  TACET_TRY(const Rational delta, given.Delta());
  return LossMechanism{.text = {},
                       .about = "randomized response, or with probability delta the truth outright",
                       .refused = {},
                       .what = ResponseMechanism{epsilon, delta}};
}

Result<LossMechanism> Share(const Rational& rate, std::string about) {
  TACET_TRY(Channel channel, ShareChannel(rate));
  InputPairs pairs = channel.EveryPair();
  about += ": (0, " + rate.ToString() + ")-private, never purely";
  return LossMechanism{.text = {},
                       .about = std::move(about),
                       .refused = kRefused,
                       .what = TableMechanism{std::move(channel), std::move(pairs)}};
}

Result<LossMechanism> Subsample(const Parameters& given) {
  TACET_TRY(const Rational rate, given.Number("rate"));
  if (rate.sign() <= 0 || rate > Rational(1)) {
    return Error{.code = Code::kUsage, .message = "the rate must be in (0, 1]"};
  }
  return Share(rate, "a random share of the rows, published as they are");
}

Result<LossMechanism> NameAndShame(const Parameters& given) {
  TACET_TRY(const Rational delta, given.Delta());
  return Share(delta, "every row is published with probability delta");
}

template <typename LawStep>
Result<LossMechanism> Noise(const Parameters& given, const char* spread) {
  TACET_TRY(const Rational size, given.Number(spread));
  TACET_TRY(const Rational sensitivity, given.NumberOr("sensitivity", Rational(1)));
  // Says what is wrong with them, if anything.
  TACET_TRY(const DeclaredSequence checked,
            DeclaredSequence::Create({{.law = LawStep{size, sensitivity}}}));
  return LossMechanism{
      .text = {},
      .about = "the exact answer and noise; the inputs differ by " + sensitivity.ToString(),
      .refused = {},
      .what = NoiseMechanism{checked.steps().front().law}};
}

template <typename LawStep>
Result<LossMechanism> Gaussian(const Parameters& given) {
  const bool has_target = given.Has("epsilon") || given.Has("delta");
  if (given.Has("sigma") && has_target) {
    return Error{.code = Code::kUsage,
                 .message = "a Gaussian is given by sigma, or by epsilon and delta, not by both"};
  }
  if (given.Has("sigma")) return Noise<LawStep>(given, "sigma");
  if (!given.Has("epsilon") || !given.Has("delta")) {
    return Error{.code = Code::kUsage,
                 .message = "a Gaussian needs --sigma, or --epsilon and --delta",
                 .hint = "for example: tacet loss gaussian --epsilon 1 --delta 1e-6"};
  }
  TACET_TRY(const ExactEpsilon exact_epsilon, given.Epsilon());
  TACET_TRY(const Rational delta, given.Delta());
  TACET_TRY(const Rational sensitivity, given.NumberOr("sensitivity", Rational(1)));
  TACET_RETURN_IF_ERROR(DeclaredSequence::Create({{.law = LawStep{Rational(1), sensitivity}}}));
  // A little less epsilon where it is no rational number: what keeps that keeps the target.
  constexpr mpfr_prec_t kPrecision = 192;
  const Rational low = exact_epsilon.ratio == Rational(1)
                           ? exact_epsilon.linear
                           : exact_epsilon.Enclosure(kPrecision).Low();
  TACET_TRY(const Epsilon epsilon, Epsilon::Create(low));
  TACET_TRY(const Delta target_delta, Delta::Create(delta));
  TACET_TRY(const Rational sigma, GaussianSigma(epsilon, target_delta));
  GaussianTarget target{.epsilon = ExactLoss::Of(exact_epsilon),
                        .delta = delta,
                        .classical = {},
                        .exact = sigma * sensitivity,
                        .discrete = {}};
  if (const auto classical = ClassicalGaussianSigma(epsilon, target_delta); classical.ok()) {
    target.classical = *classical * sensitivity;
  }
  if (sensitivity.is_integer() && sensitivity <= Rational::PowerOfTwo(40)) {
    const auto discrete =
        DiscreteGaussianSigma(epsilon, target_delta, sensitivity.numerator().get_si());
    if (discrete.ok()) target.discrete = *discrete;
  }
  constexpr bool kIsDiscrete = std::is_same_v<LawStep, DiscreteGaussianStep>;
  if (kIsDiscrete && !target.discrete) {
    return Error{.code = Code::kUsage, .message = "no such noise on the integers can be had"};
  }
  const LawStep law{kIsDiscrete ? *target.discrete : target.exact, sensitivity};
  return LossMechanism{
      .text = {},
      .about = "the exact answer and noise; the inputs differ by " + sensitivity.ToString(),
      .refused = {},
      .what = NoiseMechanism{law},
      .target = target};
}

struct Named {
  std::string name;
  std::vector<std::string> parameters;  // in order
  std::vector<std::string> required;
  std::function<Result<LossMechanism>(const Parameters&)> make;
};

const std::vector<Named>& AllNamed() {
  static const std::vector<Named> all = {
      {"coin_toss", {}, {}, CoinToss},
      {"randomized_response", {"epsilon", "gamma"}, {}, Response},
      {"leaky", {"epsilon", "delta"}, {"epsilon", "delta"}, Leaky},
      {"subsample", {"rate"}, {"rate"}, Subsample},
      {"name_and_shame", {"delta"}, {"delta"}, NameAndShame},
      {"laplace",
       {"scale", "sensitivity"},
       {"scale"},
       [](const Parameters& given) { return Noise<LaplaceStep>(given, "scale"); }},
      {"discrete_laplace",
       {"scale", "sensitivity"},
       {"scale"},
       [](const Parameters& given) { return Noise<DiscreteLaplaceStep>(given, "scale"); }},
      {"gaussian", {"sigma", "sensitivity", "epsilon", "delta"}, {}, Gaussian<GaussianStep>},
      {"discrete_gaussian",
       {"sigma", "sensitivity", "epsilon", "delta"},
       {},
       Gaussian<DiscreteGaussianStep>},
  };
  return all;
}

std::string Joined(const std::vector<std::string>& flags) {
  std::string joined;
  for (const std::string& flag : flags) joined += (joined.empty() ? "--" : " --") + flag;
  return joined;
}

}  // namespace

Result<LossMechanism> ReadMechanism(const std::string& text,
                                    const std::map<std::string, std::string>& flags) {
  TACET_TRY(MechanismText parsed, ParseMechanism(text));
  std::vector<std::string_view> names;
  const Named* named = nullptr;
  for (const Named& known : AllNamed()) {
    names.push_back(known.name);
    if (known.name == parsed.name) named = &known;
  }
  if (named == nullptr) {
    return Error{.code = Code::kUsage,
                 .message = "unknown mechanism '" + parsed.name + "'",
                 .hint = SuggestionHint(parsed.name, names),
                 .position = 0};
  }
  TACET_RETURN_IF_ERROR(NameArguments(parsed, named->parameters));
  std::map<std::string, Parameter> given;
  for (const MechanismText::Argument& argument : parsed.arguments) {
    given[argument.name] = {argument.value, argument.position};
  }
  for (const auto& [name, value] : flags) {
    if (value.empty()) continue;
    const std::vector<std::string>& known = named->parameters;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Error{
          .code = Code::kUsage,
          .message = "--" + name + " does not go with " + named->name,
          .hint = known.empty() ? "it takes no parameters." : "it takes " + Joined(known) + "."};
    }
    if (!given.emplace(name, Parameter{value, std::nullopt}).second) {
      return Error{.code = Code::kUsage, .message = "the " + name + " is given twice"};
    }
  }
  for (const std::string& name : named->required) {
    if (given.contains(name)) continue;
    return Error{
        .code = Code::kUsage,
        .message = named->name + " needs " + Joined(named->required),
        .hint = "for example: tacet loss " + named->name + " " +
                (named->required.front() == "rate" ? "--rate 1/10" : Joined({name}) + " 1")};
  }
  const Parameters parameters(std::move(given));
  TACET_TRY(LossMechanism mechanism, named->make(parameters));
  mechanism.text = parameters.Text(named->name, named->parameters);
  return mechanism;
}

}  // namespace tacet::cli
