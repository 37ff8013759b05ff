import GatewayFleet
import GatewayPlanner
import GatewayReport

/// The answer to a question in sentences, with its margin and the run that proves it: how many tokens a second would
/// do, for instance.
struct PlanText {
  private let question: Question
  private let answer: Planner.Answer
  private let scenario: SimulateScenario

  static let columns = ["lost.share", "provider.calls", "provider.amplification", "connected.dip", "recovered.after"]

  init(_ question: Question, _ answer: Planner.Answer, _ scenario: SimulateScenario) {
    self.question = question
    self.answer = answer
    self.scenario = scenario
  }

  /// What a result came to, in the order of ``columns``.
  static func figures(_ result: StormResult) -> [String] {
    columns.map { name in Metric.named(name).map { Figure($0, result).text } ?? "–" }
  }

  /// What each of several ways came to, a line for each.
  static func table(of ways: [(name: String, result: StormResult)]) -> String {
    TextTable.columns([["back-off"] + columns] + ways.map { [$0.name] + figures($0.result) }).joined(separator: "\n")
  }

  var lines: [String] {
    let keeps = scenario.wishes.joined(separator: ", ")
    guard let value = answer.value else {
      let ends = [answer.margin, answer.last].compactMap { $0.map { text($0.value) } }
      return [
        "\(question.rawValue): nothing keeps \(keeps), not even \(ends.first ?? "any")",
        "  tried: \(answer.tried) values from \(ends.joined(separator: " to "))",
      ] + table
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
    let rows = trials.compactMap { name, trial in trial.map { [name, text($0.value)] + Self.figures($0.result) } }
    return TextTable.columns([["", question.unit] + Self.columns] + rows)
  }

  private func text(_ value: Double) -> String { Self.number(value, question) }

  /// A value of a question with its unit: `1,695 tokens a second`, for instance.
  static func value(_ value: Double, _ question: Question) -> String { "\(number(value, question)) \(question.unit)" }

  private static func number(_ value: Double, _ question: Question) -> String {
    switch question {
    case .jitter: Figures.percent(value, digits: 1)
    case .capacity where value < 100, .lead, .spread, .timeout, .outage: Figures.decimal(value, places: 1)
    case .capacity: Figures.decimal(value, places: 0)
    // As many as were in the world: there is no part of a client.
    case .clients: Figures.count(Int(value))
    }
  }
}
