import GatewayControl
import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// A replay of a journal in a space with a frozen clock, which moves to the times of the journal. Use it only from tasks on
/// the loop.
struct ReplayRun: Sendable {
  private let space: ReplaySpace
  private let loop: EventLoop
  private let tokens: ReplayTokens
  private let provider: ReplayProvider

  init(in space: ReplaySpace, on loop: EventLoop) throws {
    (self.space, self.loop) = (space, loop)
    (tokens, provider) = (try space.tokens(), try space.provider())
  }

  private struct Page: Decodable {
    let lines: [ReplayLine]
    let next: Int
  }

  /// The timeout for lines that the gateway writes at once, in milliseconds.
  private static let patience = 3_000
  private static let pageSize = 1_000

  /// Plays the script. Returns the lines of the space's journal.
  func lines(of script: ReplayScript) async throws -> [ReplayLine] {
    var scene = Scene(tokens: tokens)
    try await setClock(script.beginning)
    for step in script.steps {
      try await move(to: step.at, &scene)
      try await awaitDeadline(before: step, &scene)
      try await perform(step, &scene)
    }
    try await move(to: script.end, &scene)
    var (lines, after): ([ReplayLine], Int) = ([], 0)
    while true {
      let query = [("limit", Self.pageSize), ("after", after)].map { HTTPField($0.0, String($0.1)) }
      let page: Page = try await space.ask(.get("/journal", query: query))
      lines += page.lines
      guard page.lines.count == Self.pageSize else { return lines }
      after = page.next
    }
  }

  // MARK: Steps

  private struct Scene {
    var tokens: ReplayTokens
    var now = Duration.zero
    var clients: [Int: ReplayClient] = [:]
    /// The space's names of the connections.
    var names: [Int: String] = [:]
    /// The number of the last line that was awaited.
    var last = 0
    /// The number of the last line that was awaited on each connection.
    var lastOf: [Int: Int] = [:]
  }

  /// Moves the time of day to the same fraction of a second as at the recorded beginning. Most tokens are dated in whole
  /// seconds, and so expire at the same points as before.
  private func setClock(_ beginning: Double?) async throws {
    guard let beginning else { return }
    let rest = (beginning - (try await space.wallTime().seconds)).truncatingRemainder(dividingBy: 1)
    try await space.advance(by: rest < 0 ? rest + 1 : rest)
  }

  private func move(to time: Duration, _ scene: inout Scene) async throws {
    guard time > scene.now else { return }
    try await space.advance(by: (time - scene.now).inSeconds)
    scene.now = time
  }

  /// The milliseconds by which a deadline may be later than the recorded one. Lines and tokens are dated in whole
  /// milliseconds; the deadlines that result from them are not.
  private static let inexactness = 20

  /// Moves the time on until the deadline that the client answered has come. If it does not come, the journals show that as a
  /// difference.
  private func awaitDeadline(before step: ReplayScript.Step, _ scene: inout Scene) async throws {
    guard let kind = step.awaits, let name = scene.names[step.connection] else { return }
    let order = WaitOrder(
      kind: kind, connection: name, after: scene.lastOf[step.connection] ?? 0, withinMs: 0)
    for _ in 0..<Self.inexactness {
      if try await space.awaited(order) != nil { return }
      try await move(to: scene.now + .milliseconds(1), &scene)
    }
  }

  private func perform(_ step: ReplayScript.Step, _ scene: inout Scene) async throws {
    let client = scene.clients[step.connection]
    let session = scene.names[step.connection]
    switch step.act {
    case .open(let presented): try await open(step, presented, &scene)
    case .say(var text, let presented):
      if let presented, text.contains(bytesOf: JSONRedaction.blank) {
        text = text.replacing(bytesOf: JSONRedaction.blank, with: try await token(presented, step, &scene))
      }
      await client?.say(Frame(text: text))
      try await wait(for: "message_in", of: step.connection, &scene)
    case .close(let code):
      await client?.close(code)
      try await wait(for: "closed", of: step.connection, &scene)
    case .lose:
      await client?.lose()
      try await wait(for: "closed", of: step.connection, &scene)
    case .expire: try await order(session, "expire", NoMembers())
    case .refresh: try await order(session, "refresh", NoMembers())
    case .disconnect(let code, let reason):
      try await order(session, "disconnect", DisconnectOrder(code: UInt16(clamping: code), reason: reason))
    case .tell(let text): try await order(session, "say", SayOrder(text: text))
    case .revoke(let user): try await space.revoke(user)
    }
  }

  private func order(_ session: String?, _ word: String, _ order: some ControlOrder) async throws {
    guard let session else { return }
    try await space.order(word, order, session: session)
  }

  private func open(
    _ step: ReplayScript.Step, _ presented: ReplayScript.Presented?, _ scene: inout Scene
  ) async throws {
    guard let wire = ReplayWire(step.dialect),
      let url = space.body.urls[step.dialect].flatMap({ WebAddress($0) })
    else { throw ReplaySpace.Stopped(sentence: "the gateway does not speak \(step.dialect)") }
    let target = DialTarget(host: url.host, port: space.body.port, isTLS: url.scheme == "wss")
    var shown: String?
    if let presented, presented.refusal != "credentials_missing" { shown = try await token(presented, step, &scene) }
    let upgrade = try wire.upgrade(
      at: url.path, user: presented?.user, token: shown, number: UInt64(clamping: step.connection),
      now: try await space.wallTime())
    let client = ReplayClient(on: loop, keepsMessages: false)
    guard case .opened = await client.open(target, upgrade, by: space.dialer) else { return }
    scene.clients[step.connection] = client
    let line = try await wait(for: "connection_opened", of: nil, &scene)
    scene.names[step.connection] = line?.connection
  }

  private func token(
    _ presented: ReplayScript.Presented, _ step: ReplayScript.Step, _ scene: inout Scene
  ) async throws -> String {
    guard let wire = ReplayWire(step.dialect) else {
      throw ReplaySpace.Stopped(sentence: "nobody speaks \(step.dialect)")
    }
    let now = try await space.wallTime()
    if let token = scene.tokens.token(
      presented, by: step.connection, of: wire.vendor, at: now, late: max(.zero, scene.now - step.at))
    {
      return token
    }
    let token = try await provider.token(presented, scheme: wire.vendor.scheme)
    if presented.refusal == nil { scene.tokens.remember(token, of: step.connection) }
    return token
  }

  /// Waits until the space's journal has a line of the kind. If none comes, the journals show that as a difference.
  @discardableResult
  private func wait(for kind: String, of connection: Int?, _ scene: inout Scene) async throws -> ReplayLine? {
    let order = WaitOrder(
      kind: kind, connection: connection.flatMap { scene.names[$0] }, after: scene.last, withinMs: Self.patience)
    let line = try await space.awaited(order)
    if let line {
      scene.last = line.n
      if let connection { scene.lastOf[connection] = line.n }
    }
    return line
  }
}
