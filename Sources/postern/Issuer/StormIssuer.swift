import GatewayCore
import GatewayFleet
import GatewayTokens
import Synchronization

/// The issuer that a storm is for the gateway: it signs the clients' tokens, and its keys are served by ``IssuerSite``.
final class StormIssuer: KeyTrial, TokenIssuer {
  let rules: IssuerRules
  private let state: Mutex<IssuerState>
  /// The number of answers with keys, for those who wait for the first.
  private let answers = Mutex(0)

  init(_ rules: IssuerRules, _ state: IssuerState) {
    self.rules = rules
    self.state = Mutex(state)
  }

  var figures: KeyFigures { state.withLock { $0.figures } }

  /// Whether a gateway has got the keys.
  var isKnown: Bool { answers.withLock { $0 > 0 } }

  func answer(known: String?, at now: WallTime) -> IssuerState.Answer {
    let answer = state.withLock { $0.answer(known: known, at: now) }
    if case .keys = answer { answers.withLock { $0 += 1 } }
    return answer
  }

  func discovered() { state.withLock { $0.discovered() } }

  func introspect(_ token: String, at now: WallTime) -> [UInt8] {
    state.withLock { $0.introspect(token, at: now) }
  }

  // MARK: The storm's side

  func isForger(_ client: Int) -> Bool { rules.isForger(client) }

  func mint(for client: Int, user: UserID, issuedAt: WallTime, expiresAt: WallTime) -> Credentials {
    let token = state.withLock { $0.mint(for: client, user: user, issuedAt: issuedAt, expiresAt: expiresAt) }
    return token ?? Credentials(token: "")
  }

  func mint(
    user: UserID, kind: UserKind, issuedAt: WallTime, expiresAt: WallTime?, calls: [CallID]?
  ) -> Credentials {
    mint(for: 0, user: user, issuedAt: issuedAt, expiresAt: expiresAt ?? issuedAt)
  }

  func accepted(_ client: Int, at now: WallTime) { state.withLock { $0.accepted(client, at: now) } }

  func unaccepted(_ client: Int, isRefused: Bool) {
    state.withLock { $0.unaccepted(client, isRefused: isRefused) }
  }
}
