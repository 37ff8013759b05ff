package import GatewayCore

/// The retry rule of a fleet's clients. The storm's clients and the machines of a simulated world both ask it before each
/// call of the token endpoint, and tell it each answer.
package struct RetryGates: Sendable {
  private let rule: RetryRule
  private var common = RetryGate()
  /// The clients whose calls have failed, by their numbers.
  private var own: [Int: RetryGate] = [:]

  /// The maximum number of bytes for a client: an entry of a hash table that is at least three eighths full.
  package static let bytesPerClient = 88

  /// Creates the rule of a part of a fleet.
  ///
  /// - Parameters:
  ///   - rule: The rule of the whole fleet.
  ///   - parts: The number of parts that know nothing of each other. Each has its share of a budget that all share.
  package init(_ rule: RetryRule, parts: Int = 1) {
    self.rule = rule.scaled(by: 1 / Double(max(1, parts)))
  }

  /// Returns the answer that a client gets instead of a call; nil if the call is made. Clients that hammer ignore the
  /// rules.
  package mutating func hold(_ session: ClientSession, number client: Int, at now: Instant) -> ProviderAnswer? {
    guard session.behaviour != .hammering else { return nil }
    let isRetry = session.isRetrying
    let refusal: RetryGate.Refusal?
    if rule.per == .fleet {
      refusal = common.refusal(isRetry: isRetry, at: now, by: rule)
    } else if own[client] != nil || isRetry {
      refusal = own[client, default: RetryGate()].refusal(isRetry: isRetry, at: now, by: rule)
    } else {
      refusal = nil
    }
    return refusal.map { .failed($0.rawValue) }
  }

  /// Notes the answer to a client's call. An endpoint that refuses a client permanently has not failed.
  package mutating func note(_ answer: ProviderAnswer, to behaviour: Behaviour, number client: Int, at now: Instant) {
    guard behaviour != .hammering else { return }
    let isToken: Bool
    switch answer {
    case .token: isToken = true
    case .busy, .failed: isToken = false
    case .refused, .denied: return
    }
    guard rule.per == .client else { return common.note(isToken: isToken, at: now, by: rule) }
    if isToken, own[client] == nil { return }
    own[client, default: RetryGate()].note(isToken: isToken, at: now, by: rule)
    // A client in the state of the beginning needs no entry.
    if isToken, own[client] == RetryGate() { own[client] = nil }
  }

  /// Forgets a client that has gone.
  package mutating func forget(_ client: Int) {
    guard !own.isEmpty else { return }
    own[client] = nil
  }
}

extension ClientSession {
  /// Whether the client is on its way back to the gateway after a lost connection.
  package var isReturning: Bool { outage != nil }

  /// Whether the request that the client makes now follows one that failed, for the same purpose.
  package var isRetrying: Bool {
    switch phase {
    case .obtaining(let tries): tries > 0
    case .refreshing(let refresh): refresh.calls > 1
    case .returning, .loggingIn: (outage?.failedCalls ?? 0) > 0
    case .idle, .waitingToObtain, .dialling, .refused, .live, .leaving, .away, .abandoned, .ended: false
    }
  }
}
