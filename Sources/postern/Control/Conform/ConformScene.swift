import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// The scene of one behaviour: its space, its client, and the actions of a script on both. Use it only from tasks on the
/// loop.
struct ConformScene: Sendable {
  let loop: SocketLoop
  let dialer: SocketDialer
  let control: ControlClient
  let space: SpaceBody
  /// The user that the client was given; nil where its application chooses one.
  let givenUser: String?
  let wire: ConformWire
  /// The client's process; nil before it starts.
  let client: ClientProcess?
  /// The number of the journal's last line before the client started.
  let beginning: Int
  /// How clients of the wire renew.
  let how: RefreshHabit.How
  /// The life of tokens until ``mintLongLives()``, if the client's timer must fire during the run; zero otherwise.
  let firstLife: Duration
  /// The script's deadline, on the client's clock.
  let deadline: Instant
  /// The script's deadline in real time.
  let realDeadline: Instant
  let clock: RunClock
  let memory: SceneMemory
  let stop: ConformStop

  /// The time on the client's clock.
  var now: Instant { clock.now }

  /// The client's user, if it is known.
  var user: String? { givenUser ?? memory.user }

  /// Whether a real gateway plays its part, behind a proxy.
  var isAtUpstream: Bool { givenUser == nil }

  /// The wire's name in the journal.
  var dialect: String { wire.name }

  /// The time left for the script.
  var rest: Duration {
    stop.isOrdered ? .zero : max(.zero, min(deadline - now, realDeadline - loop.events.now))
  }

  // MARK: Actions

  /// Sends a request to the space's control API.
  func send(_ request: HTTPRequest) async throws -> ControlClient.Answer {
    var whole = request
    whole.path = "/spaces/\(space.name)\(request.path)"
    let answer = try await control.send(whole, by: dialer)
    guard answer.status < 400 else {
      // A proxy says what only a gateway can play.
      let isUnplayable = isAtUpstream && (answer.status == 409 || answer.status == 400)
      throw ConformEnd(
        verdict: isUnplayable ? .notApplicable : .undecided, sentence: "\(request.path): \(answer.complaint)")
    }
    return answer
  }

  func disconnect(_ code: UInt16, _ reason: String) async throws {
    guard reason != "restart" || wire.comesBack(from: code) else {
      throw ConformEnd(verdict: .notApplicable, sentence: "on this wire nobody comes back from a close with \(code)")
    }
    _ = try await send(.post("\(try userPath)/disconnect", DisconnectOrder(code: code, reason: reason)))
  }

  /// The path of the orders to the client's user.
  var userPath: String {
    get throws {
      guard let user else {
        throw ConformEnd(verdict: .undecided, sentence: "it is not known whom the client has logged in as")
      }
      return "/users/\(PercentEncoding.encode(user))"
    }
  }

  /// Revokes the tokens issued until now, or until `ahead` after now.
  ///
  /// The dates of tokens may be whole seconds. So the revocation waits for the next second: an earlier token is then older
  /// than it, and a later one is not.
  func revoke(ahead: Duration = .zero) async throws {
    guard !isAtUpstream else {
      throw ConformEnd(verdict: .notApplicable, sentence: "a real gateway keeps its own revocations")
    }
    let begun = try await wallTime().rounded(.down)
    var second = begun
    while second <= begun {
      try await pass(.milliseconds(50))
      second = try await wallTime().rounded(.down)
    }
    _ = try await send(
      .post("/revocations", RevocationOrder(userID: user, issuedBefore: second + ahead.inSeconds)))
  }

  /// Returns whether an upgrade of the client was refused without the client seeing the reason.
  func isBlind() async -> Bool {
    struct Page: Decodable {
      struct Line: Decodable { let blind: Bool? }
      let lines: [Line]
    }
    let query = [
      HTTPField("kind", "upgrade_refused"), HTTPField("after", String(beginning)), HTTPField("limit", "1000"),
    ]
    guard let answer = try? await send(.get("/journal", query: query)),
      let page = try? JSONCoder().decode(Page.self, from: answer.data)
    else { return false }
    return page.lines.contains { $0.blind == true }
  }

  /// Returns the age of the journal in milliseconds; nil if the gateway does not report it.
  func journalAge() async -> Int64? {
    try? await readClock().realMs
  }

  private func wallTime() async throws -> Double {
    try await readClock().wall
  }

  private func readClock() async throws -> ClockBody {
    try JSONCoder().decode(ClockBody.self, from: try await send(.get("/clock")).data)
  }

  /// Advances the space's time. Clients that owe an answer have `patience` for it, in real time.
  func advance(by duration: Duration, patience: Duration = .seconds(15)) async throws {
    let order = AdvanceOrder(byS: duration.inSeconds, patienceMs: Int(min(patience, rest).milliseconds))
    _ = try await send(.post("/clock/advance", order))
  }

  /// Orders a fault by name, `times` times or without limit. Returns the number that ``mend(_:)`` needs.
  @discardableResult
  func fail(_ fault: String, _ members: [JSONMember] = [], times: Int? = nil) async throws -> UInt32 {
    // A client may also have connections of another wire, which the fault must not affect.
    let answer = try await send(.fault(fault, members, times: times, among: dialect))
    return try JSONCoder().decode(FaultBody.self, from: answer.data).number
  }

  /// Withdraws a fault.
  func mend(_ number: UInt32) async throws {
    _ = try await send(HTTPRequest(method: "DELETE", path: "/faults/\(number)"))
  }

  /// Waits until `duration` has passed on the client's clock.
  func pass(_ duration: Duration) async throws {
    let end = now + duration
    while now < end {
      guard rest > .zero else { throw overdue }
      await loop.events.sleep(until: loop.events.now + min(end - now, .milliseconds(200)))
    }
  }

  // MARK: Observations

  private struct Awaited: Decodable {
    struct Line: Decodable {
      let n: Int
      let user: String?
    }
    let met: Bool
    let lines: [Line]
  }

  /// The kinds of lines about a connection; only lines of the wire under test count.
  private static let ofConnections: Set = [
    "connection_opened", "upgrade_refused", "login_refused", "logged_in", "refresh_requested", "refreshed",
    "refresh_refused", "cut_off", "closed",
  ]

  /// The kinds among them whose lines name the user.
  private static let ofUsers: Set = ["logged_in", "refreshed"]

  /// Waits for `count` lines of the kind after number `after`, or after the beginning. Returns the number of the last; nil if
  /// they do not come in time.
  func line(_ kind: String, count: Int = 1, after: Int? = nil, within limit: Duration) async throws -> Int? {
    let end = now + limit
    while true {
      let piece = min(end - now, rest, .milliseconds(500))
      let order = WaitOrder(
        kind: kind, user: Self.ofUsers.contains(kind) ? user : nil,
        dialect: Self.ofConnections.contains(kind) ? dialect : nil, count: count, after: after ?? beginning,
        withinMs: Int(max(0, piece.milliseconds)))
      let answer = try await send(.post("/journal/await", order))
      let awaited = try JSONCoder().decode(Awaited.self, from: answer.data)
      if awaited.met {
        if isAtUpstream, kind == "logged_in" { memory.user = memory.user ?? awaited.lines.last?.user }
        return awaited.lines.last?.n
      }
      guard rest > .zero else { throw overdue }
      if now >= end || (client?.hasEnded ?? false) { return nil }
    }
  }

  /// Waits for lines that the behaviour requires, as ``line(_:count:after:within:)`` does. Throws a failure of the client if
  /// they do not come.
  @discardableResult
  func see(
    _ kind: String, count: Int = 1, after: Int? = nil, within limit: Duration = .seconds(15), or failure: String
  ) async throws -> Int {
    if let line = try await line(kind, count: count, after: after, within: limit) {
      if kind == "logged_in" || kind == "refreshed" { try await settle() }
      return line
    }
    throw ConformEnd(verdict: .failed, sentence: said(failure))
  }

  /// The time that a client may need after its login or refresh until it reacts to further events.
  static let settlingTime = Duration.milliseconds(500)

  /// Waits until the client has processed its login or refresh: some clients react to nothing for 50 ms afterwards.
  func settle() async throws { try await pass(Self.settlingTime) }

  /// Returns the sentence for a failure. It mentions if the client's process had ended before, since the wait then
  /// ended early.
  private func said(_ failure: String) -> String {
    (client?.hasEnded ?? false) ? "the client's process ended before that: \(failure)" : failure
  }

  /// Waits until the gateway refuses the client, at the upgrade or after it, as the wire has it.
  ///
  /// Throws ``BeginsAtProvider`` if the client got a token by itself and has logged in.
  func seeRefusal(after: Int? = nil, within limit: Duration = .seconds(15), or failure: String) async throws {
    let line = try await seeOne(
      of: ["upgrade_refused", "login_refused"], orElse: after == nil ? "logged_in" : nil, after: after ?? beginning,
      within: limit, or: failure)
    memory.loggedIn = memory.loggedIn ?? line
  }

  /// Waits until the gateway refuses a token, at a renewal or at a login.
  func seeTokenRefused(after: Int, within limit: Duration = .seconds(15), or failure: String) async throws {
    try await seeOne(
      of: ["refresh_refused", "login_refused", "upgrade_refused"], after: after, within: limit, or: failure)
  }

  /// Waits until the client has presented another token, on its connection or on a new one. Returns the number of the line.
  @discardableResult
  func seeRenewal(after: Int, within limit: Duration = .seconds(15), or failure: String) async throws -> Int {
    let line = try await seeOne(of: ["refreshed", "logged_in"], after: after, within: limit, or: failure)
    try await settle()
    return line
  }

  @discardableResult
  private func seeOne(
    of kinds: [String], orElse other: String? = nil, after: Int, within limit: Duration, or failure: String
  ) async throws -> Int {
    let end = now + limit
    while true {
      // Checked before the kinds are: lines that come while another kind is awaited are found in the next round, even after
      // the deadline.
      let isOver = now >= end || (client?.hasEnded ?? false)
      for kind in kinds {
        if let line = try await line(kind, after: after, within: .milliseconds(250)) { return line }
      }
      if let other, try await line(other, after: after, within: .zero) != nil {
        // The client may have been refused and then logged in while the last kind was awaited.
        for kind in kinds {
          if let line = try await line(kind, after: after, within: .zero) { return line }
        }
        throw BeginsAtProvider()
      }
      guard !isOver else {
        throw ConformEnd(verdict: .failed, sentence: said(failure))
      }
    }
  }

  /// The timeout from the start of the client's process to its login: an interpreter on a busy machine needs seconds.
  private static let startTime = Duration.seconds(30)

  /// Waits until the client has logged in. Returns the number of the line.
  @discardableResult
  func seeLogin(count: Int = 1, after: Int? = nil) async throws -> Int {
    let line = try await see(
      "logged_in", count: count, after: after, within: Self.startTime,
      or: "the client did not log in within \(Self.startTime.components.seconds) s")
    memory.loggedIn = memory.loggedIn ?? line
    return line
  }

  /// Waits until the client has exactly one connection.
  func seeOneSession(within limit: Duration) async throws {
    let end = now + limit
    while true {
      let answer = try await send(.get("/sessions", query: user.map { [HTTPField("user", $0)] } ?? []))
      let sessions = try JSONCoder().decode(SessionPage.self, from: answer.data).sessions
      let count = sessions.count { Name($0.dialect) == Name(dialect) }
      if count == 1 { return }
      guard rest > .zero else { throw overdue }
      guard now < end, !(client?.hasEnded ?? false) else {
        throw ConformEnd(
          verdict: .failed,
          sentence: said("the client has \(count) connections, where it is to have 1"))
      }
      try await pass(.milliseconds(200))
    }
  }

  /// Returns the journal's last lines about connections and the provider; none if it cannot be read.
  func lastLines() async -> [String] {
    let kinds = Self.ofConnections.sorted()
    let told =
      await last(kinds, HTTPField("dialect", dialect))
      + (await last(ProviderStory.kinds, user.map { HTTPField("user", $0) }))
    return told.sorted { $0.number < $1.number }.map(\.text)
  }

  private func last(_ kinds: [String], _ whose: HTTPField?) async -> ArraySlice<(number: Int, text: String)> {
    let query = [
      HTTPField("kind", kinds.joined(separator: ",")), HTTPField("after", String(beginning)),
      HTTPField("limit", "1000"),
    ]
    let answer = try? await send(.get("/journal", query: query + (whose.map { [$0] } ?? [])))
    return (answer.map { JournalLines.numbered($0.data) } ?? []).suffix(Self.toldAtEnd)
  }

  private static let toldAtEnd = 8

  var overdue: ConformEnd {
    ConformEnd(
      verdict: .undecided,
      sentence: stop.isOrdered
        ? "the run was stopped"
        : loop.events.now >= realDeadline
          ? "the machine was too slow: \(clock.lost.milliseconds) ms were lost" : "its time was over")
  }
}
