package import GatewayCore

/// A message that an operator sends through the gateway's connections, besides the messages of their sessions.
package enum Saying: Hashable, Sendable {
  /// The bytes of one message.
  case frame(Frame)
  /// A request for a new token in the words of each connection's wire. No session waits for the answer.
  case refreshRequest

  /// The maximum size of a message, in bytes.
  package static let sizeMax = 65_536

  /// Creates the message of an order: a text, or bytes in base64, or the meaning `request:refresh`. Throws
  /// `GatewayError.invalidParameter` unless it is one of the three, and at most ``sizeMax`` bytes.
  package init(text: String?, base64: String?, mean: String?) throws(GatewayError) {
    switch (text, base64, mean) {
    case (let text?, nil, nil):
      self = .frame(Frame(text: text))
    case (nil, let base64?, nil):
      guard let bytes = Base64.decode(base64) else { throw .invalidParameter.detailed("base64 must be base64") }
      self = .frame(Frame(.binary, bytes))
    case (nil, nil, let mean?):
      guard Name(mean) == Name(Self.refreshWord) else {
        throw .invalidParameter.detailed("mean must be \(Self.refreshWord); give other messages as text or base64")
      }
      self = .refreshRequest
    default:
      throw .invalidParameter.detailed("say one of text, base64 and mean")
    }
    guard size <= Self.sizeMax else {
      throw .invalidParameter.detailed("the message has \(size) bytes, above \(Self.sizeMax)")
    }
  }

  /// The meaning of a refresh request, as faults name it.
  package static let refreshWord = "request:refresh"

  private var size: Int {
    switch self {
    case .frame(let frame): frame.payload.count
    case .refreshRequest: 0
    }
  }

  /// The message for an operator's log, without its content.
  package var summary: String {
    switch self {
    case .frame(let frame): "\(frame.kind == .text ? "text" : "binary"), \(frame.payload.count) bytes"
    case .refreshRequest: Self.refreshWord
    }
  }
}

/// How many connections an operator's message went to.
package struct SayingsDone: Hashable, Sendable {
  package var told = 0
  /// Connections whose wire has no words for it.
  package var wordless = 0

  package init() {}

  fileprivate static func += (all: inout SayingsDone, part: SayingsDone) {
    all.told += part.told
    all.wordless += part.wordless
  }
}

extension Connection {
  /// Sends an operator's message. The session is not touched: what it waits for, it still waits for. A closing connection is
  /// left out. Only on the loop.
  package nonisolated func say(_ saying: Saying, counting done: inout SayingsDone) {
    let count = onLoop { $0.said(saying) }
    guard let count else { return }
    if count == 0 { done.wordless += 1 } else { done.told += 1 }
  }

  /// Returns the number of frames that were sent; nil if the connection is closing.
  private func said(_ saying: Saying) -> Int? {
    guard !standing.isClosing, socket != nil else { return nil }
    // Before the login there is no token to renew.
    guard saying != .refreshRequest || standing.grant != nil else { return nil }
    var effects: [SessionEffect] = []
    let frames = frames(of: saying)
    for frame in frames { send(frame, as: .said, &effects) }
    if !effects.isEmpty { performAll(&effects) }
    return frames.count
  }

  private func frames(of saying: Saying) -> [Frame] {
    switch saying {
    case .frame(let frame): return [frame]
    case .refreshRequest:
      let message = OutboundMessage.refreshRequired(.request, timeout: refreshTimeout)
      if let conversation { return conversation.encode(message, context) }
      return dialect.encode(message, context).map { [$0] } ?? []
    }
  }
}

extension LoopTable {
  /// Has it said to these connections, in slices with I/O between them. Returns to how many it went.
  fileprivate nonisolated(nonsending) func say(_ saying: Saying, to connections: [Connection]) async -> SayingsDone {
    var done = SayingsDone()
    for start in stride(from: 0, to: connections.count, by: Self.sliceCount) {
      let slice = connections[start..<min(start + Self.sliceCount, connections.count)]
      let part = await withCheckedContinuation { continuation in
        loop.execute {
          var part = SayingsDone()
          for connection in slice { connection.say(saying, counting: &part) }
          continuation.resume(returning: part)
        }
      }
      done += part
    }
    return done
  }
}

extension Gateway {
  /// Has an operator's message said to every connection of the user.
  package func say(_ saying: Saying, to user: UserID) async -> SayingsDone {
    await say(saying) { $0.connections(of: user) }
  }

  /// Has an operator's message said to one connection. Nil if there is no such connection.
  package func say(_ saying: Saying, to id: ConnectionID) async -> SayingsDone? {
    guard id.loop < tables.count else { return nil }
    return await tables[id.loop].perform { table in
      guard let connection = table.connections[id.serial] else { return nil }
      var done = SayingsDone()
      connection.say(saying, counting: &done)
      return done
    }
  }

  /// Has an operator's message said to every connection.
  package func sayToAll(_ saying: Saying) async -> SayingsDone {
    await say(saying) { $0.inOrder }
  }

  private func say(
    _ saying: Saying, _ meant: @escaping @Sendable (LoopTable) -> [Connection]
  ) async -> SayingsDone {
    var done = SayingsDone()
    for table in tables {
      let part = await table.say(saying, to: await table.perform(meant))
      done += part
    }
    return done
  }
}
