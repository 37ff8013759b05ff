package import GatewayCore
internal import GatewayJSON

// The lives of tokens that a gateway tells.

extension WireEyes {
  /// Returns a payload of the gateway that tells another life of the token; nil if it tells none.
  package func telling(_ life: Duration, in payload: UnsafeRawBufferPointer, at now: WallTime) -> [UInt8]? {
    var unfinished: [UInt8] = []
    let holes = seenHoles
    for message in wire.frames.messages(in: payload, &unfinished, atMost: Self.bytesMax) {
      let text = wire.frames.text(message)
      for rule in wire.rules where rule.tellsLife && rule.condition.holds(for: text, holes) {
        guard let (pointer, meaning) = rule.life else { continue }
        let number = meaning.number(of: life, at: now)
        let told = wire.frames.replacing(
          pointer, of: message, behind: rule.condition.prefix.count, in: Array(payload)
        ) { $0.string == nil ? number : "\"\(number)\"" }
        if let told { return told }
      }
    }
    return nil
  }

  /// The values that conditions ask for.
  var seenHoles: some HoleSource {
    SeenHoles(
      sent: conversation.sent, taken: memory.taken, user: (shown?.user ?? accepted?.user)?.rawValue, token: token)
  }
}

extension ServedDialect {
  /// Whether a reply of the gateway tells the life of a token.
  package var tellsLives: Bool {
    served.wire.rules.contains(where: \.tellsLife) || served.wire.renewing.request?.life != nil
  }

  /// Returns the body of an accepting answer to a request that renews, with another life of the token; nil if it tells none.
  package func telling(_ life: Duration, in answer: HTTPResponse, at now: WallTime) -> [UInt8]? {
    guard (200..<300).contains(answer.status), let (pointer, meaning) = served.wire.renewing.request?.life else {
      return nil
    }
    let number = meaning.number(of: life, at: now)
    return pointer.replacing(in: answer.body, sizeMax: WireRequest.bodyMax) {
      $0.string == nil ? number : "\"\(number)\""
    }
  }
}

extension WireRequest {
  /// The place and the unit of the life in its answer; nil for none.
  fileprivate var life: (pointer: JSONPointer, meaning: WireRule.Meaning)? {
    for taking in taking {
      if case .meaning(let meaning) = taking.place { return (taking.pointer, meaning) }
    }
    return nil
  }
}

extension WireRule {
  /// Whether it is an accepted or a pushed token from which the life is taken.
  fileprivate var tellsLife: Bool { [.loggedIn, .refreshed, .pushed].contains(verdict) && life != nil }

  /// The place and the unit of the life that it takes; nil for none.
  fileprivate var life: (pointer: JSONPointer, meaning: Meaning)? {
    for taking in taking {
      guard case .meaning(let meaning) = taking.place, meaning.isOfLife else { continue }
      return (taking.pointer, meaning)
    }
    return nil
  }
}

extension WireRule.Meaning {
  /// Returns the number that tells this life, rounded up to a whole one.
  fileprivate func number(of life: Duration, at now: WallTime) -> String {
    let isEnd = self == .endSeconds || self == .endMilliseconds
    let seconds = life.inSeconds + (isEnd ? Double(now.nanoseconds) / 1e9 : 0)
    let isFine = self == .lifeMilliseconds || self == .endMilliseconds
    return Int64(exactly: (isFine ? seconds * 1000 : seconds).rounded(.up)).map { String($0) } ?? "0"
  }
}

/// The values for placeholders in conditions, as they were seen.
private struct SeenHoles: HoleSource {
  let sent: [String?]
  let taken: [String?]
  let user: String?
  let token: String?

  func value(of hole: Hole) -> String? {
    switch hole {
    case .user: user
    case .token: token
    case .taken(let slot): taken.indices.contains(slot) ? taken[slot] : nil
    case .sent(let slot): sent.indices.contains(slot) ? sent[slot] : nil
    default: nil
    }
  }
}
