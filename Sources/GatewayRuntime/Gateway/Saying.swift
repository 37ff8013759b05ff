package import GatewayCore

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
    case .frame(let frame): return [dialect.worded(frame)]
    case .refreshRequest:
      let message = OutboundMessage.refreshRequired(.request, timeout: refreshTimeout)
      if let conversation { return conversation.encode(message, context) }
      return dialect.encode(message, context).map { [$0] } ?? []
    }
  }
}

extension LoopTable {
  /// Sends the message to these connections, in slices with I/O between them. Returns how many got it.
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
  /// Sends an operator's message to connections of every node. Returns how many got it; nil if there is no such
  /// connection.
  package func say(_ saying: Saying, to target: OrderTarget) async -> SayingsDone? {
    guard let nodes, !NodeScope.isHere else { return await sayHere(saying, to: target) }
    var done = SayingsDone()
    var replies: NodeLink.Replies
    if case .connection(let id) = target {
      // Earlier announcements come before the message.
      await nodes.bus.settle()
      if table(of: id) != nil { return await sayHere(saying, to: target) }
      replies = await nodes.ask(.say(target, saying))
      guard !replies.answers.values.contains(.nothing) else { return nil }
      guard !replies.answers.isEmpty || !replies.missing.isEmpty else { return nil }
    } else {
      replies = await nodes.ask(.say(target, saying), alsoHere: true)
      // Its own message did not come back.
      if replies.missing.remove(nodes.life) != nil, let own = await sayHere(saying, to: target) { done += own }
    }
    for case .said(let told, let wordless) in replies.answers.values {
      done += SayingsDone(told: told, wordless: wordless)
    }
    done.missing = nodes.names(of: replies.missing)
    return done
  }

  /// Sends an operator's message to connections of this process.
  func sayHere(_ saying: Saying, to target: OrderTarget) async -> SayingsDone? {
    switch target {
    case .everybody: return await say(saying) { $0.inOrder }
    case .user(let user): return await say(saying) { $0.connections(of: user) }
    case .connection(let id):
      return await table(of: id)?.perform { table in
        guard let connection = table.connection(id) else { return nil }
        var done = SayingsDone()
        connection.say(saying, counting: &done)
        return done
      } ?? nil
    }
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
