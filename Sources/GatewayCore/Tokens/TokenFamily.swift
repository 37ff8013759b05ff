/// The refresh tokens of one login; each use makes the next one (RFC 9700 section 4.14.2). The built-in provider, a
/// vendor's OpenID provider and the simulated provider use it to decide about a token that a client presents.
///
/// Tokens are known by their generation, from 1. A family remembers the generations that it may still accept, so that
/// most families take 24 bytes.
package struct TokenFamily: Hashable, Sendable {
  /// The answer to a refresh token.
  package enum Verdict: Hashable, Sendable {
    /// It was used for the first time. The newest generation is its successor.
    case rotated(UInt32)
    /// It was used before, within the grace. The generation is that of the token in the answer.
    case replayed(UInt32)
    case refused(Refusal)
    /// It was used before, and not within the grace: the family has ended, or the user's families must end.
    case revoked
  }

  /// The reason of a refusal that changes nothing.
  package enum Refusal: Hashable, Sendable {
    /// There was no such generation.
    case unknown
    /// The family was unused for too long.
    case idle
    /// The token was used before, within a grace in which replays are refused.
    case replay
    /// The token was used before, and nothing is revoked for that.
    case reuse
    /// The family has ended.
    case ended
  }

  /// A generation before the newest that may still be accepted.
  package struct Earlier: Hashable, Sendable {
    package let generation: UInt32
    /// The time of its first use; nil if it is unused, because a replay made a newer one.
    package var usedAt: Instant?

    package init(generation: UInt32, usedAt: Instant?) {
      self.generation = generation
      self.usedAt = usedAt
    }
  }

  package private(set) var newest: UInt32
  package private(set) var isRevoked = false
  /// Whether the generation before the newest was used when the newest was made.
  private var followsUse = false
  /// The time at which the newest generation was made.
  package private(set) var madeAt: Instant
  /// Other generations that may be accepted, oldest first.
  private var others: [Earlier]

  /// The maximum number of generations before the newest that it accepts; the oldest beyond count as stolen.
  package static let earlierMax = 8

  /// Creates a family with one unused token.
  ///
  /// - Parameters:
  ///   - generation: The generation of that token.
  ///   - now: The time.
  package init(generation: UInt32 = 1, at now: Instant) {
    self.init(newest: generation, at: now, earlier: [])
  }

  /// Creates a family from its record.
  ///
  /// - Parameters:
  ///   - newest: The newest generation, which is unused.
  ///   - time: The time at which it was made.
  ///   - earlier: The generations before it that may be accepted, oldest first.
  package init(newest: UInt32, at time: Instant, earlier: [Earlier]) {
    self.newest = newest
    madeAt = time
    others = earlier
  }

  /// Whether no token of it was used.
  package var isUnused: Bool { !followsUse && others.isEmpty }

  /// The generations before the newest that may be accepted, oldest first.
  package var earlier: [Earlier] {
    followsUse ? others + [Earlier(generation: newest - 1, usedAt: madeAt)] : others
  }

  /// Uses a refresh token.
  ///
  /// - Parameters:
  ///   - generation: Its generation. One that the family no longer knows, e.g. 0, counts as stolen.
  ///   - now: The time.
  ///   - policy: The policy.
  package mutating func show(_ generation: UInt32, at now: Instant, by policy: RotationPolicy) -> Verdict {
    guard !isRevoked, newest < .max else { return .refused(.ended) }
    guard generation <= newest else { return .refused(.unknown) }
    if let idle = policy.idle, now >= madeAt + idle { return .refused(.idle) }
    if !others.isEmpty { others = others.filter { !isOver($0.usedAt, policy, at: now) } }
    if generation == newest {
      keepPrevious(policy, at: now)
      followsUse = true
      madeAt = now
      newest += 1
      keepFew()
      return .rotated(newest)
    }
    if followsUse, generation == newest - 1, !isOver(madeAt, policy, at: now) {
      return replay(generation, policy, at: now)
    }
    guard let index = others.firstIndex(where: { $0.generation == generation }) else { return stolen(policy) }
    guard others[index].usedAt == nil else { return replay(generation, policy, at: now) }
    others[index].usedAt = now
    makeAnother(policy, at: now)
    return .rotated(newest)
  }

  /// Ends the family, e.g. because another one of its user was stolen from.
  package mutating func revoke() {
    isRevoked = true
    others = []
  }

  private func isOver(_ usedAt: Instant?, _ policy: RotationPolicy, at now: Instant) -> Bool {
    usedAt.map { now >= $0 + policy.grace } ?? false
  }

  private mutating func replay(_ generation: UInt32, _ policy: RotationPolicy, at now: Instant) -> Verdict {
    switch policy.replay {
    case .refuse: return .refused(.replay)
    case .same: return .replayed(generation + 1)
    case .new:
      makeAnother(policy, at: now)
      return .replayed(newest)
    }
  }

  private mutating func stolen(_ policy: RotationPolicy) -> Verdict {
    guard policy.revokes != .nothing else { return .refused(.reuse) }
    revoke()
    return .revoked
  }

  /// Makes a token beside the newest, which stays unused.
  private mutating func makeAnother(_ policy: RotationPolicy, at now: Instant) {
    keepPrevious(policy, at: now)
    others.append(Earlier(generation: newest, usedAt: nil))
    followsUse = false
    madeAt = now
    newest += 1
    keepFew()
  }

  /// Writes down the use of the generation before the newest, which no longer follows from the newest's time.
  private mutating func keepPrevious(_ policy: RotationPolicy, at now: Instant) {
    guard followsUse, !isOver(madeAt, policy, at: now) else { return }
    others.append(Earlier(generation: newest - 1, usedAt: madeAt))
  }

  private mutating func keepFew() {
    let most = Self.earlierMax - (followsUse ? 1 : 0)
    if others.count > most { others.removeFirst(others.count - most) }
  }
}
