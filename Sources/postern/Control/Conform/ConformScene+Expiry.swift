import GatewayControl
import GatewayCore
import GatewayKit

/// The end of the client's token.
extension ConformScene {
  /// Makes the user's token expire now. Where the client renews on a timer, it waits for the end of its first token, and the
  /// next one lives long.
  func expire() async throws {
    switch how {
    case .asked, .reconnect: _ = try await send(.post("\(try userPath)/expire", NoMembers()))
    case .timer, .http:
      try await letTimerRun()
      try await pass(firstLife)
    case .pushed:
      throw ConformEnd(verdict: .notApplicable, sentence: "the gateway of \(wire.name) pushes tokens to its clients")
    case .none: throw ConformEnd(verdict: .notApplicable, sentence: "clients of \(wire.name) renew no token")
    }
  }

  /// Makes the user's token expire as ``expire()`` does, and returns as soon as the client asks its provider for another: the
  /// number of that line.
  func expireUntilAsked(after line: Int) async throws -> Int {
    switch how {
    case .timer, .http: try await letTimerRun()
    case .asked, .reconnect, .pushed, .none: try await expire()
    }
    return try await see(
      "provider_asked", after: line, within: firstLife + .seconds(15),
      or: "the client did not ask its provider for a token")
  }

  /// Lets the client's first token end by itself, and makes the next ones live long.
  private func letTimerRun() async throws {
    guard firstLife > .zero else {
      throw ConformEnd(
        verdict: .notApplicable,
        sentence: "the gateway of \(wire.name) asks for no token: its clients renew on a timer")
    }
    let loggedIn = memory.loggedIn ?? beginning
    try await checkStart(before: loggedIn)
    // A fault that was ordered for the renewal came too late, if the client had begun it.
    guard try await line("provider_asked", after: loggedIn, within: .zero) == nil else {
      throw ConformEnd(
        verdict: .undecided,
        sentence:
          "the machine was slow, or the client renews early: it asked for another token before the behaviour had begun")
    }
    try await mintLongLives()
  }

  /// Throws if the client's first token, which lives only until its timer, had expired before the client logged in.
  private func checkStart(before login: Int) async throws {
    for kind in ["login_refused", "upgrade_refused"] {
      guard let refused = try await line(kind, within: .zero), refused < login else { continue }
      let life = firstLife.components.seconds
      throw ConformEnd(
        verdict: .undecided,
        sentence: "the machine was slow, or the client: its token of \(life) s had expired before it logged in")
    }
  }

  /// Makes the provider's tokens die early: until ``mintLongLives()`` they live as long as ``firstLife``.
  func mintShortLives() async throws {
    guard firstLife > .zero else { return }
    guard !isAtUpstream else {
      memory.shortLives = try await fail("shorten", [JSONMember("life_s", json: String(firstLife.inSeconds))])
      return
    }
    let behind = Self.usualLife - firstLife
    memory.shortLives = try await fail("issuer_clock", [JSONMember("ahead_s", json: String(-behind.inSeconds))])
  }

  /// Makes the provider's tokens live as long as they do elsewhere.
  func mintLongLives() async throws {
    guard let number = memory.shortLives else { return }
    memory.shortLives = nil
    try await mend(number)
  }

  /// The life of a space's tokens.
  private static let usualLife = Duration.seconds(3_600)
}
