/// A request to the token provider that somebody still knows of: the client that waits for its answer, for instance,
/// its time-out, the provider.
struct TokenRequest: BitwiseCopyable {
  /// The provider's answer: 503 with the time to stay away, for instance.
  enum Answer: UInt8 {
    case none
    case token
    /// 503, with the time to stay away.
    case busy
    /// 503, as a scenario has it.
    case away
    /// 400.
    case refused
  }

  let client: UInt32
  /// The client's own number for the question.
  let number: UInt32
  let begunAt: Int64
  /// How long the token shall live; when it is made, the instant at which it expires.
  var life: Int64
  /// For the n-th time on account of one refresh request; 0 for a login, -1 for one that is refused.
  let call: Int32
  /// Whether `life` is an instant.
  var isInstant: Bool
  var answer = Answer.none
  /// Whether its caller waits no more.
  var isAbandoned = false
  /// Whether the caller has the answer.
  var isAnswered = false
  /// Whether the provider, or a packet, still has it.
  var isUnderWay = true
}
