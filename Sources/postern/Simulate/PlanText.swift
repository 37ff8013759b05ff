import GatewayFleet
import GatewayPlanner
import GatewayReport

/// The answer to a question in sentences, with its margin and the run that proves it.
struct PlanText {
  private let question: Question
  private let answer: Planner.Answer
  private let scenario: SimulateScenario

  init(_ question: Question, _ answer: Planner.Answer, _ scenario: SimulateScenario) {
    self.question = question
    self.answer = answer
    self.scenario = scenario
  }

  var lines: [String] {
    let keeps = scenario.wishes.joined(separator: ", ")
    guard let value = answer.value else {
      let ends = [answer.margin, answer.last].compactMap { $0.map { text($0.value) } }
      return [
        "\(question.rawValue): nothing keeps \(keeps), not even \(ends.first ?? "any")",
        "  tried: \(answer.tried) values from \(ends.joined(separator: " to "))",
      ] + table + logins
    }
    let (word, other) = question.wantsLeast ? ("at least", "at most") : ("at most", "at least")
    let least = value.value == 0 ? "none is needed" : "\(word) \(text(value.value))"
    let most = answer.limit.map { " and \(other) \(text($0.value))" } ?? ""
    let end = answer.margin == nil && value.value != 0 ? "; nothing beyond that was tried" : ""
    var lines = ["\(question.rawValue): \(least)\(most), for \(keeps)\(end)"]
    lines += table
    if !answer.exceptions.isEmpty {
      lines.append(
        "  \(question.wantsLeast ? "more" : "less") is not always better: see the values that hold or fail too")
    }
    if value.result.provider.refreshCalls == 0 {
      lines.append("  no refresh asked the provider for a token: of the provider this answer says nothing")
    }
    lines += chance
    if question == .timeout, value.value < Self.timeoutOfVendors {
      lines.append("  postern serve takes less than 60 s only with --any-refresh-timeout; vendors' gateways may not")
    }
    if let proof = answer.proof {
      let clients = question == .clients ? Int(value.value) : scenario.settings.plan.clients
      lines.append(
        proof.passes
          ? "  proven with \(Figures.count(clients)) clients: it holds"
          : "  NOT proven: with all clients the thresholds do not hold, though they do in the scaled worlds")
    }
    if let bytes = answer.bytesMissed {
      lines.append(
        "  NOT proven: the world of full size would take \(Figures.count(Int(clamping: bytes))) bytes, "
          + "which are not free")
    }
    return lines + ["  \(answer.runs) worlds"]
  }

  private var table: [String] {
    let trials =
      [("holds", answer.value), ("fails", answer.margin), ("holds up to", answer.limit), ("full size", answer.proof)]
      + answer.exceptions.map { ($0.passes ? "holds too" : "fails too", $0) }
    let columns = PlanColumns(scenario)
    let rows = trials.compactMap { name, trial in trial.map { [name, text($0.value)] + columns.texts($0.result) } }
    return TextTable.columns([["", question.unit] + columns.names] + rows)
  }

  private static let timeoutOfVendors = 60.0

  /// The lines that say that chance decides near the answer, if it does.
  private var chance: [String] {
    guard answer.isChance else { return [] }
    var parts: [String] = []
    if let again = answer.again, !again.passes {
      parts.append("with \(again.seeds) further seeds the answer holds in \(again.holding)")
    }
    if let margin = answer.margin, margin.holding > 0 {
      parts.append("\(text(margin.value)) holds with \(margin.holding) of \(margin.seeds) seeds")
    }
    return [
      "  near the answer it is chance: \(parts.joined(separator: ", ")); take a margin, or ask for a share, as lost.share <= 0.1%"
    ]
  }

  /// The lines that say that the logins exceed the provider's capacity, if that loses the clients.
  private var logins: [String] {
    guard let kept = answer.withTokens else { return [] }
    let plan = scenario.settings.plan
    let rate = scenario.settings.provider.rate.map { ", and it makes \(Figures.decimal($0, places: 1)) a second" } ?? ""
    let word = question.wantsLeast ? "at least" : "at most"
    return [
      "  the logins swamp the provider: they ask it for up to \(Figures.decimal(plan.rate, places: 1)) tokens a second\(rate)",
      "  with first tokens in hand (client.first_token: in_hand): \(kept.value == 0 ? "none is needed" : "\(word) \(text(kept.value))")",
      "  ask: slower logins (rate), a first token in hand, or how much provider they need: --ask capacity",
    ]
  }

  private func text(_ value: Double) -> String { Self.number(value, question) }

  /// Returns a value of a question with its unit, e.g. `1,695 tokens a second`.
  static func value(_ value: Double, _ question: Question) -> String { "\(number(value, question)) \(question.unit)" }

  private static func number(_ value: Double, _ question: Question) -> String {
    switch question {
    case .jitter: Figures.percent(value, digits: 1)
    case .capacity where value < 100, .lead, .spread, .timeout, .outage, .grace: Figures.decimal(value, places: 1)
    case .base: Figures.decimal(value, places: 2)
    case .capacity: Figures.decimal(value, places: 0)
    // Truncated like the number of clients in the world: there are only whole clients.
    case .clients: Figures.count(Int(value))
    }
  }
}
