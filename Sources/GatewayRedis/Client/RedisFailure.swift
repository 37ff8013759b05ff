/// Why a command has no usable reply.
enum RedisFailure: Error, Hashable, Sendable {
  /// The command was not sent, so it was not done.
  case notSent(String)
  /// The command may have been done.
  case lost(String)

  /// The reason, for an operator.
  var reason: String {
    switch self {
    case .notSent(let reason), .lost(let reason): reason
    }
  }
}
