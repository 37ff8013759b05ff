package import GatewayCore

/// A client's request over HTTP that renews an open connection, as a reader sees it.
package struct RenewalSight: Sendable {
  /// The token that it shows; nil for none.
  let token: String?
  /// The values by which it names its connection, by the slots of their names.
  let names: [(slot: Int, value: String)]
  /// Whether its answer has to be read: it brings the token, or tells of its life.
  package let needsAnswer: Bool

  /// The user that the token names; nil for none.
  package var user: UserID? { token.flatMap { WireEyes.Shown(token: $0, user: nil).user } }
}

extension ServedDialect {
  /// Returns the request as a reader sees it; nil for any other request.
  package func renewal(in request: HTTPRequest) -> RenewalSight? {
    guard let renewal = served.wire.renewing.request, renewal.isMade(by: request) else { return nil }
    let bindings = renewal.bindings(of: request)
    let naming = renewal.namingSlots
    return RenewalSight(
      token: bindings.token, names: bindings.taken.filter { naming.contains($0.slot) },
      needsAnswer: !renewal.taking.isEmpty)
  }
}

extension WireEyes {
  private var request: WireRequest? { wire.renewing.request }

  /// Returns whether the request renews this connection: it names it, or its token is one of the same user. A request that
  /// brings the next token shows the present one.
  package func isRenewed(by sight: RenewalSight) -> Bool {
    guard isLoggedIn, let request else { return false }
    guard request.namingSlots.isEmpty else {
      return !sight.names.isEmpty && sight.names.allSatisfy { slot, value in knows(value, in: slot) }
    }
    guard let token = sight.token, let accepted else { return false }
    let shown = Shown(token: token, user: nil)
    if request.takesToken { return shown.fingerprint == accepted.fingerprint }
    return shown.user != nil && shown.user == accepted.user
  }

  private func knows(_ value: String, in slot: Int) -> Bool {
    let isTaken = memory.taken.indices.contains(slot) && memory.taken[slot].map { Name($0) == Name(value) } ?? false
    return isTaken || upgradeNames.contains { $0.slot == slot && Name($0.value) == Name(value) }
  }

  /// Notes that the request was sent.
  package func asked(by sight: RenewalSight) {
    if let token = sight.token, request?.takesToken == false { show(token) }
    asked()
  }

  /// Returns the meaning of the answer.
  package func answered(_ sight: RenewalSight, by response: HTTPResponse, at now: WallTime) -> Sighting {
    guard isLoggedIn, let request else { return .unknown }
    guard (200..<300).contains(response.status) else {
      let verdict = wire.habits.comeback?.verdict(of: response.status, isHTTP: true, in: .refreshing)?.verdict
      return refused(verdict ?? EndRule.usual(response.status, isHTTP: true))
    }
    let content = request.take(from: response, into: memory, at: now)
    if let token = content.token { show(token) }
    return accept(life: content.life, at: now)
  }
}
