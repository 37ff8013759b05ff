package import GatewayCore

/// Budgets as people write them in a flag, e.g. `user=30/60s` or `address=2000/60s,ban=500/60s:15m`.
package enum BudgetText {
  /// The form of a budget, for help and errors.
  package static let form =
    "user|address|all=N/DURATION, and with commas kind=fixed|sliding, status=429|403, "
    + "retry-after=left|SECONDS|LEAST-MOST|date|none, ban=N/DURATION:DURATION, ban-status=403|429"

  /// The reason why a text is no budget.
  package struct Mistake: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
      self.description = description
    }
  }

  /// Returns the budget that a text describes.
  package static func parse(_ text: String) throws(Mistake) -> RequestBudget {
    var budget: RequestBudget?
    var given: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2 else { throw Mistake("'\(part.prefix(256))' is not name=value; expected \(form)") }
      let (name, value) = (sides[0], sides[1])
      guard !given.contains(name) else { throw Mistake("'\(name.prefix(256))' is given twice") }
      given.append(name)
      if var known = budget {
        try read(name, value, into: &known)
        budget = known
      } else {
        guard let scope = RequestBudget.Scope(rawValue: name) else {
          throw Mistake("a budget begins with user=, address= or all=, not with '\(name.prefix(256))='")
        }
        let (limit, window) = try rate(value, name)
        budget = RequestBudget(scope, limit: limit, window: window)
      }
    }
    guard let budget else { throw Mistake("is empty; expected \(form)") }
    return budget
  }

  private static func read(_ name: String, _ value: String, into budget: inout RequestBudget) throws(Mistake) {
    switch name {
    case "kind":
      guard let kind = RequestBudget.Kind(rawValue: value) else { throw wrong(name, value, "fixed or sliding") }
      budget.kind = kind
    case "status":
      budget.status = try status(name, value)
    case "retry-after":
      budget.advice = try advice(name, value)
    case "ban":
      let sides = value.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2 else { throw wrong(name, value, "N/DURATION:DURATION, as 500/60s:15m") }
      let (after, within) = try rate(sides[0], name)
      budget.ban = RequestBudget.Ban(after: after, within: within, length: try duration(name, sides[1]))
    case "ban-status":
      let status = try status(name, value)
      guard budget.ban != nil else { throw Mistake("ban-status= comes after ban=") }
      budget.ban?.status = status
    case "of":
      throw Mistake("of= is for simulations alone: requests of the built-in provider do not say whether they renew")
    default:
      throw Mistake("'\(name.prefix(256))=' is unknown; expected \(form)")
    }
  }

  private static func rate(_ text: String, _ name: String) throws(Mistake) -> (Int, Duration) {
    let sides = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard sides.count == 2, let number = Int(sides[0]), RequestBudget.limits.contains(number) else {
      throw wrong(name, text, "a number from 1 to 1,000,000,000, / and a duration, as 30/60s")
    }
    return (number, try duration(name, sides[1]))
  }

  private static func duration(_ name: String, _ text: String) throws(Mistake) -> Duration {
    guard let duration = DurationText.parse(text), RequestBudget.windows.contains(duration) else {
      throw wrong(name, text, "a duration from 1ms to 30d")
    }
    return duration
  }

  private static func status(_ name: String, _ text: String) throws(Mistake) -> Int {
    guard let status = Int(text), RequestBudget.statuses.contains(status) else {
      throw wrong(name, text, "429 or 403")
    }
    return status
  }

  private static func advice(_ name: String, _ text: String) throws(Mistake) -> RequestBudget.Advice {
    switch text {
    case "left": return .left
    case "date": return .date
    case "none": return .none
    default:
      let sides = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      let numbers = sides.compactMap { $0 }
      guard numbers.count == sides.count, (1...2).contains(sides.count), let least = numbers.first,
        let most = numbers.last, least <= most, RequestBudget.waits.contains(least), RequestBudget.waits.contains(most)
      else { throw wrong(name, text, "left, date, none, a number of seconds up to 86,400, or two as 10-60") }
      return sides.count == 1 ? .seconds(least) : .spread(least...most)
    }
  }

  private static func wrong(_ name: String, _ value: String, _ expected: String) -> Mistake {
    Mistake("\(name)=\(value.prefix(256)): expected \(expected)")
  }
}

extension RequestBudget {
  /// The budget in the form of flags.
  package var text: String {
    var parts = ["\(scope.rawValue)=\(limit)/\(Self.text(window))"]
    if purpose != .both { parts.append("of=\(purpose.rawValue)") }
    if kind != .fixed { parts.append("kind=\(kind.rawValue)") }
    if status != 429 { parts.append("status=\(status)") }
    switch advice {
    case .left: break
    case .seconds(let seconds): parts.append("retry-after=\(seconds)")
    case .spread(let range): parts.append("retry-after=\(range.lowerBound)-\(range.upperBound)")
    case .date: parts.append("retry-after=date")
    case .none: parts.append("retry-after=none")
    }
    if let ban {
      parts.append("ban=\(ban.after)/\(Self.text(ban.within)):\(Self.text(ban.length))")
      if ban.status != 403 { parts.append("ban-status=\(ban.status)") }
    }
    return parts.joined(separator: ",")
  }

  private static func text(_ duration: Duration) -> String {
    duration.nanoseconds % 1_000_000_000 == 0
      ? "\(duration.nanoseconds / 1_000_000_000)s" : "\(duration.inSeconds * 1000)ms"
  }
}
