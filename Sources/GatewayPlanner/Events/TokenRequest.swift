/// A request to the token provider that the client, its timeout or the provider still refers to.
struct TokenRequest: BitwiseCopyable {
  /// The provider's answer.
  enum Answer: UInt8 {
    case none
    case token
    /// 503 with `Retry-After`.
    case busy
    /// A refusal by order of a scenario.
    case away
    /// 429 and 403 by a budget.
    case limited
    case banned
    /// 400.
    case refused
  }

  /// The ``client`` of a request whose caller is not in the fleet.
  static let nobody = UInt32.max
  /// The ``life`` of a refusal without a `Retry-After`.
  static let noWait: Int64 = -1

  let client: UInt32
  /// The client's own number of the request.
  let number: UInt32
  let begunAt: Int64
  /// The life of the token; after its creation, the instant at which it expires. If a budget refuses the request: the
  /// wait of its `Retry-After`, or ``noWait``.
  var life: Int64
  /// The number of the request within one refresh, from 1; 0 for a login, and negative if it is refused.
  let call: Int32
  var answer = Answer.none
  private var flags: UInt8 = Self.underWay
  /// The generation of the refresh token that it shows, or 0 for a login; after the creation of a token, ``successor``
  /// is that of the answer. Both are 0 if no refresh tokens rotate.
  var generation: UInt32 = 0
  var successor: UInt32 = 0

  private static let instant: UInt8 = 1
  private static let abandoned: UInt8 = 2
  private static let answered: UInt8 = 4
  private static let underWay: UInt8 = 8
  private static let again: UInt8 = 16

  init(client: UInt32, number: UInt32, begunAt: Int64, life: Int64, call: Int32, isInstant: Bool) {
    self.client = client
    self.number = number
    self.begunAt = begunAt
    self.life = life
    self.call = call
    self.isInstant = isInstant
  }

  /// Whether `life` is an instant.
  var isInstant: Bool {
    get { flags & Self.instant != 0 }
    set { set(Self.instant, newValue) }
  }

  /// Whether its caller has stopped waiting.
  var isAbandoned: Bool {
    get { flags & Self.abandoned != 0 }
    set { set(Self.abandoned, newValue) }
  }

  /// Whether the caller has the answer.
  var isAnswered: Bool {
    get { flags & Self.answered != 0 }
    set { set(Self.answered, newValue) }
  }

  /// Whether the provider or a packet still holds it.
  var isUnderWay: Bool {
    get { flags & Self.underWay != 0 }
    set { set(Self.underWay, newValue) }
  }

  /// Whether its refresh token was shown before, without an answer.
  var isShownAgain: Bool {
    get { flags & Self.again != 0 }
    set { set(Self.again, newValue) }
  }

  private mutating func set(_ flag: UInt8, _ value: Bool) {
    if value { flags |= flag } else { flags &= ~flag }
  }
}
