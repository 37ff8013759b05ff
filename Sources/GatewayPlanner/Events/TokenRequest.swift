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
  /// Whether `life` is an instant.
  var isInstant: Bool
  var answer = Answer.none
  /// Whether its caller has stopped waiting.
  var isAbandoned = false
  /// Whether the caller has the answer.
  var isAnswered = false
  /// Whether the provider or a packet still holds it.
  var isUnderWay = true
}
