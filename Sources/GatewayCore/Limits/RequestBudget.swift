/// A limit on the requests for tokens within a window of time, e.g. 30 a minute by each user.
package struct RequestBudget: Hashable, Sendable {
  /// The requests that share one budget.
  package enum Scope: String, Hashable, Sendable, CaseIterable {
    case user
    case address
    case all
  }

  /// The kind of window.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It begins with the first request, and the next one with the first request after its end.
    case fixed
    /// The requests of the window before count by the part of it that is less than a window ago.
    case sliding
  }

  /// The requests that a budget counts.
  package enum Purpose: String, Hashable, Sendable, CaseIterable {
    case login
    case renew
    case both
  }

  /// The `Retry-After` of a refusal.
  package enum Advice: Hashable, Sendable {
    /// The time until the next request would pass, in whole seconds.
    case left
    case seconds(Int)
    /// A number of seconds drawn evenly from the range.
    case spread(ClosedRange<Int>)
    /// The time of day at which the next request would pass.
    case date
    /// No field.
    case none
  }

  /// The refusal of all requests for a while, after many refusals.
  package struct Ban: Hashable, Sendable {
    /// The number of refusals that begins a ban, and the time within which they count.
    package var after: Int
    package var within: Duration
    package var length: Duration
    package var status: Int

    package init(after: Int, within: Duration, length: Duration, status: Int = 403) {
      self.after = after
      self.within = within
      self.length = length
      self.status = status
    }
  }

  package var scope: Scope
  /// The number of requests that pass in a window.
  package var limit: Int
  package var window: Duration
  package var kind = Kind.fixed
  package var purpose = Purpose.both
  package var advice = Advice.left
  package var status = 429
  package var ban: Ban?

  package init(_ scope: Scope, limit: Int, window: Duration) {
    self.scope = scope
    self.limit = limit
    self.window = window
  }

  /// The bounds of a limit, of a window, and of a number of seconds in `Retry-After`. No product of them overflows.
  package static let limits = 1...1_000_000_000
  package static let windows = Duration.milliseconds(1)...Duration.seconds(30 * 86_400)
  package static let waits = 0...86_400
  /// The statuses of refusals: a client takes 429 for a limit, and 403 for a ban.
  package static let statuses = [429, 403]
  /// The maximum number of budgets of one provider.
  package static let countMax = 16

  /// Whether all of its numbers are within their bounds.
  package var isPossible: Bool {
    guard Self.limits.contains(limit), Self.windows.contains(window), Self.statuses.contains(status) else {
      return false
    }
    switch advice {
    case .left, .date, .none: break
    case .seconds(let seconds): guard Self.waits.contains(seconds) else { return false }
    case .spread(let range):
      guard range.lowerBound >= Self.waits.lowerBound, range.upperBound <= Self.waits.upperBound else { return false }
    }
    guard let ban else { return true }
    return Self.limits.contains(ban.after) && Self.windows.contains(ban.within) && Self.windows.contains(ban.length)
      && Self.statuses.contains(ban.status)
  }

  /// Returns whether it counts a request. A provider that cannot tell renewals from logins counts both.
  ///
  /// - Parameter isRenewal: Whether the request is a renewal; nil if that is unknown.
  func counts(isRenewal: Bool?) -> Bool {
    switch (purpose, isRenewal) {
    case (.both, _), (_, nil): true
    case (.login, let isRenewal?): !isRenewal
    case (.renew, let isRenewal?): isRenewal
    }
  }
}

/// The refusal of a request by a budget.
package struct BudgetRefusal: Hashable, Sendable {
  package let scope: RequestBudget.Scope
  package let isBan: Bool
  package let status: Int
  package let advice: RequestBudget.Advice
  /// The time until a request would pass again.
  package let left: Duration

  /// The same in whole seconds, at least one.
  package var leftSeconds: Int64 {
    let (seconds, rest) = left.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return max(1, seconds + (rest > 0 ? 1 : 0))
  }

  /// Returns the whole seconds of a spread for a share of chance, 0..<1; nil if the advice is another.
  package func spread(_ share: Double) -> Int64? {
    guard case .spread(let range) = advice else { return nil }
    let number = Double(range.upperBound - range.lowerBound + 1)
    return Int64(min(range.upperBound, range.lowerBound + Int(number * min(max(share, 0), 1))))
  }

  /// Whether the wait is drawn by chance.
  package var isDrawn: Bool { if case .spread = advice { true } else { false } }
}
