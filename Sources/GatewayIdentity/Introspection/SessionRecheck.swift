package import GatewayCore
internal import GatewayKit
internal import GatewayRuntime

/// The sessions whose tokens are checked again while they are open.
package protocol RecheckedSessions: Sendable {
  /// Returns whether a session of the token's user lives by it.
  func live(by token: VerifiedToken) async -> Bool

  /// Ends or asks the sessions with this token, because its server says that it is no longer active. Returns false if
  /// this must be tried again.
  func end(_ token: VerifiedToken) async -> Bool
}

/// The regular checks of open sessions' tokens, which detect revocations at a server that does not announce them.
///
/// It keeps each token as long as a session has it. If a server cannot be asked, no session ends.
///
/// `@unchecked Sendable`: touched only on its loop.
final class SessionRecheck: WakeupTarget, @unchecked Sendable {
  typealias Ask = nonisolated(nonsending) @Sendable (_ token: String, _ read: TokenReader) async -> Verdict

  private struct Watched {
    let token: String
    let verified: VerifiedToken
    let read: TokenReader
  }

  /// The wheel turns once in two periods, so that a token's next turn, at 0.8 to 1.2 periods, is on it.
  private static let slots = 128
  private static let tokensMax = 200_000
  /// The questions that are under way at once; the rest of the places is for logins.
  private static let atOnce = 16

  private let loop: EventLoop
  private let stage: LoopStage
  private let tick: Duration
  private let sessions: any RecheckedSessions
  private let counts: IntrospectionCounts
  private let log: GatewayLog?
  private let ask: Ask
  private var watched: [TokenDigest: Watched] = [:]
  private var wheel = [[TokenDigest]](repeating: [], count: SessionRecheck.slots)
  private var slot = 0
  /// The sessions to check next, from `first` on.
  private var due: [TokenDigest] = []
  private var first = 0
  private var workers = 0
  private var isFullTold = false
  private lazy var wakeup = Wakeup(target: self)

  init(
    every period: Duration, on loop: EventLoop, sessions: any RecheckedSessions, counts: IntrospectionCounts,
    log: GatewayLog?, ask: @escaping Ask
  ) {
    self.loop = loop
    self.sessions = sessions
    self.counts = counts
    self.log = log
    self.ask = ask
    stage = LoopStage(loop: loop)
    tick = period * 2 / Self.slots
  }

  /// Asks about a token from now on, for as long as a session lives by it. From any thread.
  func watch(_ token: String, _ verified: VerifiedToken, _ read: @escaping TokenReader) {
    loop.execute { [self] in
      let digest = TokenDigest(of: token)
      guard watched[digest] == nil else { return }
      guard watched.count < Self.tokensMax else {
        if !isFullTold { log?.note(.warning, "recheck_full", ["tokens": String(watched.count)]) }
        isFullTold = true
        return
      }
      watched[digest] = Watched(token: token, verified: verified, read: read)
      place(digest)
      if !wakeup.isSet, !loop.hasEnded { loop.deadlines.set(wakeup, at: loop.now + tick) }
    }
  }

  private func place(_ digest: TokenDigest) {
    let ahead = Double(Self.slots) / 2 * (0.8 + 0.4 * loop.nextShare())
    wheel[(slot + max(1, Int(ahead))) % Self.slots].append(digest)
  }

  func wakeUp() {
    slot = (slot + 1) % Self.slots
    due += wheel[slot]
    wheel[slot] = []
    while workers < Self.atOnce, first < due.count { work() }
    if !watched.isEmpty, !loop.hasEnded { loop.deadlines.set(wakeup, at: loop.now + tick) }
  }

  /// Checks one token after the other until none is due.
  private func work() {
    workers += 1
    _ = stage.begin { [self] in
      while let digest = next() { await recheck(digest) }
      workers -= 1
    }
  }

  private func next() -> TokenDigest? {
    guard first < due.count else {
      (due, first) = ([], 0)
      return nil
    }
    first += 1
    return due[first - 1]
  }

  private nonisolated(nonsending) func recheck(_ digest: TokenDigest) async {
    guard let one = watched[digest] else { return }
    guard !loop.hasEnded, await sessions.live(by: one.verified) else {
      watched[digest] = nil
      return
    }
    switch await ask(one.token, one.read) {
    case .success:
      counts.count(recheck: .active)
      place(digest)
    case .failure(let error) where error.isUnjudged:
      counts.count(recheck: .unjudged)
      place(digest)
    case .failure:
      counts.count(recheck: .inactive)
      if await sessions.end(one.verified) { watched[digest] = nil } else { place(digest) }
    }
  }
}
