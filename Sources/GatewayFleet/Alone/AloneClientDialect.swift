package import GatewayCore

/// The dialect of clients that have no gateway: they get a token, count as logged in, and renew it when it ends, 30 s
/// before that for instance. It is the token endpoint alone that is stormed.
package struct AloneClientDialect: ClientDialect {
  package let habits: ClientHabits

  package var name: String { "none" }
  package var upgradeTarget: String { "/" }
  package var closeNames: [UInt16: String] { [:] }

  /// What a client sends with a new token, and hears back.
  private static let word: [UInt8] = [UInt8(ascii: "r")]

  /// - Parameters:
  ///   - lead: How long before its end a token is renewed.
  ///   - spread: Up to so much earlier by chance.
  ///   - grace: How long after the end of its token a client goes on trying.
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

  // Tokens are a described endpoint's.

  package func tokenRequest(for user: UserID, life: TokenLife, at now: WallTime) -> HTTPRequest {
    HTTPRequest(method: "GET", path: "/")
  }

  package func token(in response: HTTPResponse) -> Credentials? { nil }
}
