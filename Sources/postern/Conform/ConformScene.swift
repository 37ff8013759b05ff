import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// The stage of one behaviour: a space of its own, the client that was started for it, and the orders of a script to both.
/// Only from tasks on the loop.
struct ConformScene: Sendable {
  let loop: SocketLoop
  let dialer: SocketDialer
  let control: ControlClient
  let space: SpaceAnswer
  let user: String
  let dialect: String
  /// Nil before it has been started.
  let client: ClientProcess?
  /// The number of the journal's last line before the client started.
  let beginning: Int
  /// Whether the wire has an answer to a request for a token. On others clients come back with another token.
  let hasRefreshes: Bool
  /// When the script has to be over, in the time that the client has had.
  let deadline: Instant
  /// When it has to be over in real time.
  let realDeadline: Instant
  let clock: RunClock
  let memory: SceneMemory
  let stop: ConformStop

  /// The control API's answer about a space: its name and the addresses of its wires.
  struct SpaceAnswer: Decodable, Sendable {
    let name: String
    let http_url: String
    let urls: [String: String]
  }

  /// The time that the client has had.
  private var now: Instant { clock.now }

  /// How long the script may go on.
  private var rest: Duration {
    stop.isOrdered ? .zero : max(.zero, min(deadline - now, realDeadline - loop.events.now))
  }

  // MARK: What happens

  /// Asks the space something.
  func send(
    _ method: String, _ path: String, _ members: [JSONMember] = [], query: [HTTPField] = []
  ) async throws -> ControlClient.Answer {
    var request =
      method == "POST" ? HTTPRequest.post(path, members) : HTTPRequest(method: method, path: path, query: query)
    request.path = "/spaces/\(space.name)\(path)"
    let answer = try await control.send(request, by: dialer)
    guard answer.status < 400 else { throw ConformEnd(verdict: .undecided, sentence: "\(path): \(answer.complaint)") }
    return answer
  }

  /// Has the user's token expire now.
  func expire() async throws { _ = try await send("POST", "/users/\(user)/expire") }

  func disconnect(_ code: Int, _ reason: String) async throws {
    _ = try await send(
      "POST", "/users/\(user)/disconnect", [JSONMember("code", json: String(code)), JSONMember("reason", reason)])
  }

  /// Revokes what was issued until now, or until so long after now. The dates of tokens may be whole seconds, so the revocation
  /// waits for the next second: a token of before is older than that, and a token of afterwards is not.
  func revoke(ahead: Duration = .zero) async throws {
    let begun = try await wallTime().rounded(.down)
    var second = begun
    while second <= begun {
      try await pass(.milliseconds(50))
      second = try await wallTime().rounded(.down)
    }
    let before = String(second + ahead.inSeconds)
    _ = try await send(
      "POST", "/revocations", [JSONMember("user_id", user), JSONMember("issued_before", json: before)])
  }

  /// Whether the client has been turned away without seeing why.
  func isBlind() async -> Bool {
    struct Page: Decodable {
      struct Line: Decodable { let blind: Bool? }
      let lines: [Line]
    }
    let query = [
      HTTPField("kind", "upgrade_refused"), HTTPField("after", String(beginning)), HTTPField("limit", "1000"),
    ]
    guard let answer = try? await send("GET", "/journal", query: query),
      let page = try? JSONCoder().decode(Page.self, from: answer.data)
    else { return false }
    return page.lines.contains { $0.blind == true }
  }

  /// The age of the journal in milliseconds; nil if the gateway does not say.
  func journalAge() async -> Int64? {
    struct Clock: Decodable { let real_ms: Int64? }
    let answer = try? await send("GET", "/clock")
    return answer.flatMap { try? JSONCoder().decode(Clock.self, from: $0.data) }?.real_ms
  }

  private func wallTime() async throws -> Double {
    struct Clock: Decodable { let wall: Double }
    return try JSONCoder().decode(Clock.self, from: try await send("GET", "/clock").data).wall
  }

  /// Moves the space's time on; clients that owe an answer have `patience`.
  func advance(by duration: Duration, patience: Duration = .seconds(15)) async throws {
    _ = try await send(
      "POST", "/clock/advance",
      [
        JSONMember("by_s", json: String(duration.inSeconds)),
        JSONMember("patience_ms", json: String(min(patience, rest).milliseconds)),
      ])
  }

  /// Has the gateway fail: by a fault of that name, so many times. Returns what ``mend(_:)`` takes.
  @discardableResult
  func fail(_ fault: String, _ members: [JSONMember] = [], times: Int? = nil) async throws -> Int {
    struct Ordered: Decodable { let number: Int }
    var order = [JSONMember("fault", fault)] + members
    if let times { order.append(JSONMember("times", json: String(times))) }
    // A client may have connections of another wire too, which the fault must not affect.
    if !Self.ofNoConnection.contains(where: fault.hasPrefix) {
      let who: [UInt8] = [JSONMember("dialect", dialect)].object()
      order.append(JSONMember("who", json: String(decoding: who, as: UTF8.self)))
    }
    let answer = try await send("POST", "/faults", order)
    return try JSONCoder().decode(Ordered.self, from: answer.data).number
  }

  /// How the names of faults begin that are about the provider, the keys or the clocks.
  private static let ofNoConnection = ["mint_", "issuer_", "gateway_", "rotate_", "withdraw_"]

  /// Takes a fault back.
  func mend(_ number: Int) async throws { _ = try await send("DELETE", "/faults/\(number)") }

  /// Lets real time pass.
  func pass(_ duration: Duration) async throws {
    let end = now + duration
    while now < end {
      guard rest > .zero else { throw overdue }
      await loop.events.sleep(until: loop.events.now + min(end - now, .milliseconds(200)))
    }
  }

  // MARK: The client's actions

  private struct Awaited: Decodable {
    struct Line: Decodable { let n: Int }
    let met: Bool
    let lines: [Line]
  }

  /// The kinds of line about a connection: those of the wire under test are meant.
  private static let ofConnections: Set = [
    "connection_opened", "upgrade_refused", "login_refused", "logged_in", "refresh_requested", "refreshed",
    "refresh_refused", "cut_off", "closed",
  ]

  /// The kinds of them that name the connection's user.
  private static let ofUsers: Set = ["logged_in", "refreshed"]

  /// Waits for so many lines of the kind behind number `after`, or behind the beginning. Returns the number of the last;
  /// nil if they do not come in time.
  func line(_ kind: String, count: Int = 1, after: Int? = nil, within limit: Duration) async throws -> Int? {
    let end = now + limit
    while true {
      let piece = min(end - now, rest, .milliseconds(500))
      var members = [
        JSONMember("kind", kind), JSONMember("count", json: String(count)),
        JSONMember("after", json: String(after ?? beginning)),
        JSONMember("within_ms", json: String(max(0, piece.milliseconds))),
      ]
      if Self.ofConnections.contains(kind) { members.append(JSONMember("dialect", dialect)) }
      if Self.ofUsers.contains(kind) { members.append(JSONMember("user", user)) }
      let answer = try await send("POST", "/journal/await", members)
      let awaited = try JSONCoder().decode(Awaited.self, from: answer.data)
      if awaited.met { return awaited.lines.last?.n }
      guard rest > .zero else { throw overdue }
      if now >= end || (client?.hasEnded ?? false) { return nil }
    }
  }

  /// The same of what has to happen if anything is to be shown: else the script ends, and the client has failed.
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

  /// How long a client may need, after its login or its refresh, until it hears what else happens.
  private static let settlingTime = Duration.milliseconds(500)

  /// Lets the client take in that it is logged in or refreshed: some hear nothing for 50 ms afterwards.
  private func settle() async throws { try await pass(Self.settlingTime) }

  /// Returns the text of a failure: that the client's process had ended first, if it had, since the wait was cut short then.
  private func said(_ failure: String) -> String {
    (client?.hasEnded ?? false) ? "the client's process ended before that: \(failure)" : failure
  }

  /// Waits until the client is turned away, before the upgrade or behind it, as its wire has it. Throws ``BeginsAtProvider`` if
  /// it has got a token of its own and is in.
  func seeRefusal(after: Int? = nil, within limit: Duration = .seconds(15), or failure: String) async throws {
    let line = try await seeOne(
      of: ["upgrade_refused", "login_refused"], orElse: after == nil ? "logged_in" : nil, after: after ?? beginning,
      within: limit, or: failure)
    memory.loggedIn = memory.loggedIn ?? line
  }

  /// Waits until the client has shown another token, on its connection or by way of another, as its wire has it. Returns the
  /// number of the line.
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
      // An action during the search for another kind is seen in the next round, even if that is the last.
      let isOver = now >= end || (client?.hasEnded ?? false)
      for kind in kinds {
        if let line = try await line(kind, after: after, within: .milliseconds(250)) { return line }
      }
      if let other, try await line(other, after: after, within: .zero) != nil {
        // It may have been turned away, and let in, while the last kind was waited for.
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

  /// How long a client may take to be in, from the start of its process on: an interpreter on a busy machine needs seconds.
  private static let startTime = Duration.seconds(30)

  /// Waits until the client is in. Returns the number of the line.
  @discardableResult
  func seeLogin(count: Int = 1, after: Int? = nil) async throws -> Int {
    let line = try await see(
      "logged_in", count: count, after: after, within: Self.startTime,
      or: "the client did not log in within \(Self.startTime.components.seconds) s")
    memory.loggedIn = memory.loggedIn ?? line
    return line
  }

  /// Waits until the client has one connection, and no more.
  func seeOneSession(within limit: Duration) async throws {
    struct Page: Decodable {
      struct Session: Decodable { let dialect: String }
      let sessions: [Session]
    }
    let end = now + limit
    while true {
      let answer = try await send("GET", "/sessions", query: [HTTPField("user", user)])
      let sessions = try JSONCoder().decode(Page.self, from: answer.data).sessions
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

  /// Returns the last events of connections and the last calls of the provider, as lines of the journal; none if it cannot
  /// be read.
  func lastLines() async -> [String] {
    let kinds = Self.ofConnections.sorted()
    let told =
      await last(kinds, HTTPField("dialect", dialect)) + (await last(ProviderStory.kinds, HTTPField("user", user)))
    return told.sorted { $0.number < $1.number }.map(\.text)
  }

  private func last(_ kinds: [String], _ whose: HTTPField) async -> ArraySlice<(number: Int, text: String)> {
    let query = [
      HTTPField("kind", kinds.joined(separator: ",")), HTTPField("after", String(beginning)), whose,
      HTTPField("limit", "1000"),
    ]
    let answer = try? await send("GET", "/journal", query: query)
    return (answer.map { JournalLines.numbered($0.data) } ?? []).suffix(Self.toldAtEnd)
  }

  private static let toldAtEnd = 8

  private var overdue: ConformEnd {
    ConformEnd(
      verdict: .undecided,
      sentence: stop.isOrdered
        ? "the run was stopped"
        : loop.events.now >= realDeadline
          ? "the machine was too slow: \(clock.lost.milliseconds) ms were lost" : "its time was over")
  }

  // MARK: The verdicts

  private struct Judged: Decodable {
    let verdict: String
    let sentence: String
  }

  /// Holds the client to all of it, until everything is decided or `patience` has passed.
  func judge(_ demands: [Demand], patience: Duration) async throws -> (
    verdict: ConformResult.Verdict, sentences: [String], lines: [String]
  ) {
    let end = now + min(patience, rest)
    var (verdicts, sentences, lines): ([ConformResult.Verdict], [String], [String]) = ([], [], [])
    for demand in demands {
      while true {
        let (verdict, sentence, told) = try await judge(demand)
        if verdict == .undecided, rest > .zero, now < end {
          await loop.events.sleep(until: loop.events.now + .milliseconds(100))
          continue
        }
        verdicts.append(verdict)
        sentences.append("\(demand.name) \(verdict.words): \(sentence)")
        if verdict == .failed { lines += told }
        break
      }
    }
    let whole = ConformResult.whole(verdicts)
    let said = zip(verdicts, sentences).filter { $0.0 == whole }.map(\.1)
    return (whole, said, lines)
  }

  private func judge(_ demand: Demand) async throws -> (ConformResult.Verdict, String, [String]) {
    // A client may begin with a token of its provider's, which is no answer to anything.
    let after = demand.isOfProvider ? memory.loggedIn ?? beginning : beginning
    let order = [
      JSONMember("expect", demand.name), JSONMember("user", user), JSONMember("dialect", dialect),
      JSONMember("after", json: String(after)), JSONMember("late", json: clock.late),
    ]
    let answer = try await send("POST", "/journal/expect", order + demand.members)
    let judged = try JSONCoder().decode(Judged.self, from: answer.data)
    return (
      ConformResult.Verdict(rawValue: judged.verdict) ?? .undecided, judged.sentence, JournalLines.texts(answer.data)
    )
  }
}
