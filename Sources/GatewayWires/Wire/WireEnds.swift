internal import GatewayCore
internal import GatewayJSON

/// The meanings of closes and refusals on a described wire, e.g. `{ "code": "4403-4499", "then": "give_up" }`.
enum WireEnds {
  static func rules(_ described: Described?) throws(DescriptionError) -> [EndRule] {
    try described?.elements().map { (element) throws(DescriptionError) in try rule(element) } ?? []
  }

  private static func rule(_ described: Described) throws(DescriptionError) -> EndRule {
    let rule = try described.object(["code", "http", "contains", "during", "then", "label"])
    let then = try rule.required("then", example: "\"renew\"")
    let label = try rule["label"].map { (named) throws(DescriptionError) in try name(named, rule) }
    let text = try rule["contains"].map { (part) throws(DescriptionError) in try part.text() }
    switch (rule["code"], rule["http"]) {
    case (let codes?, nil):
      return EndRule(
        codes: try ranges(codes, 1000...4999), phases: try WirePhases.read(rule["during"]),
        verdict: try then.choice("verdict"), text: text, label: label)
    case (nil, let codes?):
      if let part = rule["contains"] {
        throw part.error("a refused upgrade has no text; \"contains\" goes with \"code\"")
      }
      return EndRule(
        codes: try ranges(codes, 300...599), isHTTP: true, phases: try WirePhases.read(rule["during"]),
        verdict: try then.choice("verdict"), label: label)
    default: throw described.error("names no end; \"code\" of a close frame, or \"http\" status of a refused upgrade")
    }
  }

  /// Reads a word, or the text of the close frame.
  private static func name(_ described: Described, _ rule: DescribedObject) throws(DescriptionError) -> EndRule.Label {
    let word = try described.text()
    return word == "text" && rule["code"] != nil ? .text : .word(ReportLabel.cleaned(word))
  }

  /// Reads a number, a range such as `"4000-4099"`, or a list of them.
  private static func ranges(
    _ described: Described, _ allowed: ClosedRange<Int>
  ) throws(DescriptionError) -> [ClosedRange<Int>] {
    try described.oneOrMore().map { (one) throws(DescriptionError) in
      if case .string(let text) = one.value.kind {
        let sides = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let low = sides[0], let high = sides[1], low <= high, allowed.contains(low),
          allowed.contains(high)
        else {
          throw one.error(
            "'\(text)' is no range of codes; one as \"\(allowed.lowerBound)-\(allowed.upperBound)\", or a number without quotes"
          )
        }
        return low...high
      }
      let code = try one.integer(in: allowed)
      return code...code
    }
  }
}

/// The phases in which a rule applies, e.g. `"during": "live"`, or a list of them.
enum WirePhases {
  static func read(_ described: Described?) throws(DescriptionError) -> Set<ClientPhase> {
    guard let described else { return Set(ClientPhase.allCases) }
    return Set(
      try described.oneOrMore().map { (one) throws(DescriptionError) -> ClientPhase in try one.choice("phase") })
  }
}
