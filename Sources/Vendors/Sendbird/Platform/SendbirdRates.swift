internal import GatewayCore
internal import GatewayKit

/// The documented rate limits of each user, per second. They are off by default.
actor SendbirdRates {
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// A kind of request that is counted separately.
  enum Kind: String, Hashable, Sendable, CaseIterable {
    case message
    case markAsRead
    case typing
    case otherCommand
    case reading
    case writing

    /// Returns the kind of a socket command.
    init(command name: String) {
      self =
        switch name {
        case "MESG", "FILE": .message
        case "READ": .markAsRead
        case "TPST", "TPEN": .typing
        default: .otherCommand
        }
    }

    /// The limit per second.
    var perSecond: Double {
      switch self {
      case .message: 5
      case .markAsRead, .otherCommand: 3
      case .typing: 0.1
      case .reading: 20
      case .writing: 10
      }
    }

    /// Returns the error for a request above the limit.
    func refusal(after wait: Duration) -> SendbirdError {
      let isHTTP = self == .reading || self == .writing
      let error = isHTTP ? SendbirdError.rateLimited : .tooManyMessages
      let milliseconds = max(1, wait.milliseconds)
      let limit = self == .typing ? "1;w=10" : "\(Int(perSecond));w=1"
      return SendbirdError(
        error.code,
        "Too many requests (scope: user, limit: \(limit), remaining: 0, retry_after: \(Self.seconds(milliseconds)))")
    }

    private static func seconds(_ milliseconds: Int64) -> String {
      "\(milliseconds / 1_000).\(String(milliseconds % 1_000 + 1_000).dropFirst())s"
    }
  }

  private struct Key: Hashable {
    let user: UserID
    let kind: Kind
  }

  private let executor: any SerialExecutor
  private let tally: NodeTally
  private let usersMax: Int
  private var buckets: [Key: TokenBucket] = [:]

  /// Creates limits for at most `usersMax` users and kinds at a time; when there are more, all counts start again.
  init(on executor: any SerialExecutor, tally: NodeTally, usersMax: Int = 50_000) {
    self.executor = executor
    self.tally = tally
    self.usersMax = usersMax
  }

  /// Counts one request; throws if it is above the limit.
  func take(_ kind: Kind, _ user: UserID, at now: WallTime) throws(SendbirdError) {
    if let wait = wait(kind, user, at: now) { throw kind.refusal(after: wait) }
    tally.tell("\(kind.rawValue) \(user.rawValue)")
  }

  /// Counts a request to another node, if the note is about one.
  func hear(_ note: VendorNote, at now: WallTime) {
    guard let parts = tally.parts(2, of: note), let kind = Kind(rawValue: parts[0]) else { return }
    _ = wait(kind, UserID(parts[1]), at: now)
  }

  private func wait(_ kind: Kind, _ user: UserID, at now: WallTime) -> Duration? {
    let key = Key(user: user, kind: kind)
    let now = Instant(nanoseconds: now.nanoseconds)
    if buckets.count >= usersMax && buckets[key] == nil { buckets = [:] }
    let full = TokenBucket(rate: kind.perSecond, capacity: max(1, kind.perSecond), at: now)
    return buckets[key, default: full].takeOrWait(at: now)
  }
}
