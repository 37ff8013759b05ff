package import GatewayCore

/// The dialect of clients without a gateway. A client gets a token, counts as logged in, and renews the token before it
/// ends. Such a storm loads the token endpoint only.
package struct AloneClientDialect: ClientDialect {
  package let habits: ClientHabits

  package var name: String { "none" }
  package var upgradeTarget: String { "/" }
  package var closeNames: [UInt16: String] { [:] }

  /// The payload that a client sends with a new token, and receives back.
  private static let word: [UInt8] = [UInt8(ascii: "r")]

  /// Creates the dialect of a plan's clients. They renew by the gateway's times: the lead time before expiry, spread over
  /// a window, with retries for as long as a gateway would wait.
  package init(_ plan: StormPlan) {
    self.init(lead: plan.gateway.lead, spread: plan.gateway.spread, grace: plan.gateway.timeout)
  }

  /// Creates a dialect in which a timer decides when to renew.
  ///
  /// - Parameters:
  ///   - lead: How long before its end a token is renewed.
  ///   - spread: The maximum random time by which it is renewed even earlier.
  ///   - grace: How long after the end of its token a client keeps trying.
  package init(lead: Duration, spread: Duration, grace: Duration) {
    var habits = ClientHabits()
    habits.isLoggedInAtOpen = true
    habits.refresh.how = .timer
    habits.refresh.lead = .duration(lead)
    habits.refresh.jitter = spread
    habits.refresh.grace = grace
    self.habits = habits
  }

  package func upgrade(of client: ClientIdentity) -> ClientUpgrade {
    ClientUpgrade(HTTPRequest(method: "GET", path: "/"))
  }

  package func encode(_ message: ClientMessage, of client: ClientIdentity) -> Frame? {
    if case .refresh = message { Frame(.text, Self.word) } else { nil }
  }

  package func decode(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) -> ServerNotice? {
    payload.elementsEqual(Self.word) ? .refreshed : nil
  }

  // The request for a token and its answer belong to a described endpoint.

  package func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    HTTPRequest(method: "GET", path: "/")
  }

  package func token(in response: HTTPResponse) -> Credentials? { nil }
}

extension ClientPolicy {
  /// Returns the policy of clients without a gateway, which renew once in each wave.
  package static func alone(_ plan: StormPlan) -> ClientPolicy {
    let dialect = AloneClientDialect(plan)
    var policy = ClientPolicy(plan, habits: dialect.habits, closeNames: dialect.closeNames)
    policy.renewalsWanted = plan.waves
    return policy
  }
}
