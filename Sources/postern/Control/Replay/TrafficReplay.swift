import GatewayControl
import GatewayCore
import GatewayDrafts
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// A replay of the clients' side of a proxy's recording or a HAR file in a hosted space. It repeats upgrades, messages, closes
/// and requests over HTTP in the recorded order. An actor on the loop of its sockets.
actor TrafficReplay {
  /// What came out differently, and what else there is to say.
  struct Outcome: Sendable {
    var alike = 0
    /// The first difference of each connection, and of each request.
    var differences: [String] = []
    var notes: [String] = []
  }

  nonisolated let loop: EventLoop
  let space: ReplaySpace
  let target: DialTarget
  let recording: Recording
  /// Whether each step waits for its time. If not, the space's clock is moved there.
  let isInRealTime: Bool
  var names = TrafficNames()
  var outcome = Outcome()
  private var scrubber = SecretScrubber()
  var clients: [Int: ReplayClient] = [:]
  /// The space's names of the sessions.
  var sessions: [Int: String] = [:]
  /// Connections of which a difference has been told. Nothing more is waited for on them.
  private var different: Set<Int> = []
  var lastLine = 0
  /// Milliseconds since the first step.
  private var now: Int64 = 0
  private var mint: ReplayTokens
  private let provider: ReplayProvider
  private let vendor: any OfferedVendor.Type
  /// The space's time of day at the first step, and the recorded one, in milliseconds since 1970.
  private var beginning: (played: Double, recorded: Double) = (0, 0)
  private var startedAt = Instant(nanoseconds: 0)

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// The time for what the gateway does at once.
  static let patience = Duration.seconds(10)
  /// Deadlines of the gateway may be later than the recorded ones: recordings have whole milliseconds.
  private static let inexactness: Int64 = 50

  init(_ recording: Recording, in space: ReplaySpace, on loop: EventLoop, isInRealTime: Bool) throws {
    guard let address = WebAddress(space.body.httpURL) else {
      throw ReplaySpace.Stopped(sentence: "the gateway tells no address of its own")
    }
    (self.recording, self.space, self.loop, self.isInRealTime) = (recording, space, loop, isInRealTime)
    target = DialTarget(host: address.host, port: space.body.port, isTLS: address.scheme == "https")
    mint = try space.tokens()
    provider = try space.provider()
    let wire = recording.wires.lazy.compactMap { ReplayWire($0) }.first ?? ReplayWire(ReplayWire.usual)
    guard let wire else { throw ReplaySpace.Stopped(sentence: "nobody makes tokens for this recording") }
    vendor = wire.vendor
  }

  /// Plays the steps, and returns what came of them.
  func play(_ steps: [TrafficStep]) async throws -> Outcome {
    startedAt = loop.now
    let first = steps.first.map { recordedStart($0) } ?? 0
    beginning = (try await space.wallTime().seconds * 1_000, first)
    for step in steps {
      try await move(to: step.at)
      try await perform(step)
    }
    for (number, client) in clients.sorted(by: { $0.key < $1.key }) {
      await tellRest(of: client, number)
      await client.lose()
    }
    return outcome
  }

  private func recordedStart(_ step: TrafficStep) -> Double {
    switch step.act {
    case .open(_, let exchange), .beRefused(let exchange), .request(let exchange):
      Double(exchange.at) + Double(recording.began ?? 0)
    default: Double(recording.began ?? 0)
    }
  }

  private func move(to time: Int64) async throws {
    guard time > now else { return }
    if isInRealTime {
      await loop.sleep(until: startedAt + .milliseconds(time), as: "the recorded time of a step")
    } else {
      try await space.advance(by: Double(time - now) / 1_000)
    }
    now = time
  }

  private func perform(_ step: TrafficStep) async throws {
    switch step.act {
    case .open(let number, let upgrade): try await open(number, upgrade, step.line)
    case .beRefused(let upgrade): try await open(nil, upgrade, step.line)
    case .request(let exchange): try await request(exchange)
    case .say(let number, let message):
      guard let client = clients[number] else { return }
      let text = try await filled(message.text, step.line)
      let bytes = Array(text.utf8)
      let payload = message.isPacked ? MessagePack.packed(bytes) ?? bytes : bytes
      await client.say(Frame(message.isBinary ? .binary : .text, payload))
    case .hear(let number, let message): try await hear(number, message)
    case .beAsked(let number, let ask, let message): try await beAsked(number, ask, message)
    case .end(let number, let end): try await self.end(number, end)
    }
  }

  // MARK: Secrets

  /// Returns a text with the texts of its names. Tokens that no answer had are minted.
  func filled(_ text: String, _ line: Int) async throws -> String {
    for name in TrafficNames.names(in: text) where names[name] == nil {
      guard let token = recording.tokens[name] else {
        if name.utf8.starts(with: "token-".utf8) || name.utf8.starts(with: "key-".utf8) {
          outcome.notes.append("line \(line): \(name) is no JWT, and no answer had it; it is sent by that name")
          names.set(name, name)
        }
        continue
      }
      names.set(name, try await minted(token))
    }
    return names.filled(text)
  }

  private func minted(_ token: Recording.Token) async throws -> String {
    let now = try await space.wallTime()
    let life = token.ends.map {
      Duration.saturating(seconds: (Double($0) - beginning.recorded + beginning.played) / 1_000 - now.seconds)
    }
    let hasEnded = life.map { $0 <= .zero } ?? false
    let presented = ReplayScript.Presented(
      user: token.user ?? "somebody", kind: UserKind.regular.rawValue, life: hasEnded ? nil : life,
      refusal: hasEnded ? "token_expired" : nil)
    if let text = mint.token(presented, by: 0, of: vendor, at: now, late: .zero) { return text }
    return try await provider.token(presented, scheme: vendor.scheme)
  }

  // MARK: Differences

  func tell(_ number: Int?, _ line: Int, _ recorded: String, _ played: String) {
    if let number { different.insert(number) }
    outcome.differences.append("line \(line): recorded \(recorded), replayed \(played)")
  }

  /// Returns a message as a recording would have it.
  private func recordedForm(_ frame: Frame) -> String? {
    let bytes = Self.read(frame)
    return String(validating: bytes, as: UTF8.self) == nil ? nil : scrubber.text(bytes)
  }

  /// Returns the bytes of a message, or its JSON if it is MessagePack.
  private static func read(_ frame: Frame) -> [UInt8] {
    frame.kind == .binary ? MessagePack.json(frame.payload) ?? frame.payload : frame.payload
  }

  private func hear(_ number: Int, _ message: Recording.Message) async throws {
    guard let client = clients[number] else { return }
    let wanted = TrafficShape(message.text, isBinary: message.isBinary)
    guard let frame = try await awaitMessage(wanted, of: client, number) else {
      guard different.insert(number).inserted else { return }
      let next = await client.heard.first.flatMap { recordedForm($0) }.map { TrafficShape.shown($0) }
      return tell(number, message.line, "the message \(TrafficShape.shown(message.text))", next ?? "none like it")
    }
    outcome.alike += 1
    names.learn(from: String(decoding: Self.read(frame), as: UTF8.self), recordedAs: message.text)
  }

  /// Waits for a message of that shape. A frozen clock moves on a little, since a deadline may be due.
  private func awaitMessage(_ wanted: TrafficShape, of client: ReplayClient, _ number: Int) async throws -> Frame? {
    for attempt in 0..<2 {
      if attempt == 1 {
        guard !isInRealTime, !different.contains(number) else { return nil }
        try await move(to: now + Self.inexactness)
      }
      let until = loop.now + (different.contains(number) ? .zero : Self.patience * 0.5)
      repeat {
        if let frame = await take(wanted, client) { return frame }
        guard await client.code == nil else { return await take(wanted, client) }
        await loop.sleep(until: loop.now + .milliseconds(5), as: "a message of a replay")
      } while loop.now < until
    }
    return nil
  }

  private func take(_ wanted: TrafficShape, _ client: ReplayClient) async -> Frame? {
    for (place, frame) in await client.heard.enumerated() {
      guard let text = recordedForm(frame), TrafficShape(text, isBinary: frame.kind == .binary) == wanted else {
        continue
      }
      return await client.take(at: place)
    }
    return nil
  }

  private func beAsked(_ number: Int, _ ask: Recording.Ask, _ message: Recording.Message?) async throws {
    guard let client = clients[number], let session = sessions[number], await client.code == nil else { return }
    if let message {
      let wanted = TrafficShape(message.text, isBinary: message.isBinary)
      for frame in await client.heard {
        if let text = recordedForm(frame), TrafficShape(text, isBinary: frame.kind == .binary) == wanted { return }
      }
    }
    try await space.order(ask.isExpiry ? "expire" : "refresh", NoMembers(), session: session)
  }

  // MARK: Ends

  private func end(_ number: Int, _ end: Recording.End) async throws {
    guard let client = clients[number] else { return }
    guard end.isOfGateway else {
      if end.isLost { await client.lose() } else { await client.close(end.code) }
      return
    }
    if end.isOrdered, let session = sessions[number] {
      try await space.order(
        "disconnect", DisconnectOrder(code: UInt16(clamping: end.code), reason: ""), session: session)
    }
    for attempt in 0..<2 where await client.code == nil {
      if attempt == 1, !isInRealTime { try await move(to: now + Self.inexactness) }
      let until = loop.now + (different.contains(number) ? .zero : Self.patience * 0.5)
      while await client.code == nil, loop.now < until {
        await loop.sleep(until: loop.now + .milliseconds(5), as: "the end of a replayed connection")
      }
    }
    if let code = await client.code, Int(code) == end.code {
      outcome.alike += 1
    } else if !different.contains(number) {
      let played = await client.code.map { "\($0)" } ?? "none"
      outcome.differences.append("\(label(number)): recorded the close \(end.code), replayed \(played)")
      different.insert(number)
    }
    if await client.code == nil { await client.close(1000) }
  }

  private func tellRest(of client: ReplayClient, _ number: Int) async {
    let rest = await client.heard
    guard let first = rest.first, !different.contains(number) else { return }
    let text = recordedForm(first).map { TrafficShape.shown($0) } ?? "a binary message"
    outcome.differences.append(
      "\(label(number)): \(rest.count) messages more than recorded, first \(text)")
  }

  private func label(_ number: Int) -> String {
    let line = recording.connections.indices.contains(number) ? recording.connections[number].line : 0
    return "the connection of line \(line)"
  }
}
