import TestTraits
import Testing

@testable import GatewayCore

/// The rule of rotating refresh tokens, compared with a model that forgets nothing.
struct TokenFamilyTests {
  private static let start = Instant(nanoseconds: 7_000_000_000)

  private static func family() -> TokenFamily { TokenFamily(at: start) }

  /// Every generation that ever was with all of its uses. It shares no code with the rule.
  private struct Model {
    struct Token {
      var uses: [Int] = []
      var successor: Int?
    }

    var tokens = [Token()]
    var isDead = false
    var latest = 0

    /// Shows token `number` (from 1) at a second; returns the words of the answer.
    mutating func show(_ number: Int, at second: Int, _ policy: RotationPolicy) -> String {
      if isDead { return "ended" }
      if number > tokens.count { return "unknown" }
      if let idle = policy.idle, second - latest >= Int(idle.components.seconds) { return "idle" }
      let isUsed = number < 1 || !tokens[number - 1].uses.isEmpty
      if !isUsed {
        tokens[number - 1].uses.append(second)
        tokens.append(Token())
        tokens[number - 1].successor = tokens.count
        latest = second
        return "rotated \(tokens.count)"
      }
      let first = number < 1 ? -1_000_000 : tokens[number - 1].uses[0]
      guard second - first < Int(policy.grace.components.seconds) else {
        if policy.revokes == .nothing { return "reuse" }
        isDead = true
        return "revoked"
      }
      switch policy.replay {
      case .refuse: return "replay"
      case .same: return "replayed \(tokens[number - 1].successor ?? 0)"
      case .new:
        tokens.append(Token())
        latest = second
        return "replayed \(tokens.count)"
      }
    }
  }

  private static func words(_ verdict: TokenFamily.Verdict) -> String {
    switch verdict {
    case .rotated(let generation): "rotated \(generation)"
    case .replayed(let generation): "replayed \(generation)"
    case .refused(let refusal): "\(refusal)"
    case .revoked: "revoked"
    }
  }

  private static let policies: [RotationPolicy] = [0, 1, 3].flatMap { grace in
    RotationPolicy.Replay.allCases.flatMap { replay in
      RotationPolicy.Revocation.allCases.flatMap { revokes in
        [nil, .seconds(4)].map { idle in
          RotationPolicy(grace: .seconds(grace), replay: replay, revokes: revokes, idle: idle)
        }
      }
    }
  }

  @Test(.long, arguments: policies)
  func `every sequence of five refresh tokens at every pace gets the answers of a model that forgets nothing`(
    policy: RotationPolicy
  ) {
    var sequences = 0
    func follow(_ family: TokenFamily, _ model: Model, _ second: Int, left: Int, _ path: [String]) {
      guard left > 0 else {
        sequences += 1
        return
      }
      for gap in [0, 1, 2, 4] {
        for token in 0...(model.tokens.count + 1) {
          var (family, model) = (family, model)
          let now = second + gap
          let given = Self.words(family.show(UInt32(token), at: Self.start + .seconds(now), by: policy))
          let expected = model.show(token, at: now, policy)
          let step = "\(token) at \(now) s"
          guard given == expected else {
            Issue.record("\(policy): \(path + [step]): \(given), not \(expected)")
            return
          }
          follow(family, model, now, left: left - 1, path + [step])
        }
      }
    }
    follow(Self.family(), Model(), 0, left: 4, [])
    #expect(sequences > 20_000)
  }

  @Test
  func `a family accepts at most nine tokens, and takes the oldest beyond for stolen`() {
    let policy = RotationPolicy(grace: .seconds(60), replay: .new)
    var family = Self.family()
    for generation in 1...9 { _ = family.show(UInt32(generation), at: Self.start, by: policy) }
    #expect(family.newest == 10 && family.earlier.map(\.generation) == [2, 3, 4, 5, 6, 7, 8, 9])
    var other = family
    #expect(other.show(2, at: Self.start + .seconds(59), by: policy) == .replayed(11))
    #expect(family.show(1, at: Self.start + .seconds(1), by: policy) == .revoked)
    #expect(family.show(10, at: Self.start + .seconds(2), by: policy) == .refused(.ended))
  }

  @Test
  func `a token family continues as before after it was written and read`() {
    for replay in RotationPolicy.Replay.allCases {
      let policy = RotationPolicy(grace: .seconds(10), replay: replay)
      var family = Self.family()
      _ = family.show(1, at: Self.start, by: policy)
      _ = family.show(1, at: Self.start + .seconds(1), by: policy)
      _ = family.show(family.newest, at: Self.start + .seconds(2), by: policy)
      let read = TokenFamily(newest: family.newest, at: Self.start + .seconds(2), earlier: family.earlier)
      for generation in 0...family.newest + 1 {
        for second in [2, 9, 10, 11, 12] {
          var (one, other) = (family, read)
          let now = Self.start + .seconds(second)
          #expect(one.show(generation, at: now, by: policy) == other.show(generation, at: now, by: policy))
        }
      }
    }
  }

  @Test
  func `the last possible generation ends a family instead of starting over`() {
    var family = TokenFamily(newest: .max, at: Self.start, earlier: [])
    #expect(family.show(.max, at: Self.start, by: RotationPolicy()) == .refused(.ended))
  }

  @Test
  func `a family takes 24 bytes`() {
    #expect(MemoryLayout<TokenFamily>.stride == 24)
  }
}
