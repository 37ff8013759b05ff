internal import GatewayCore

/// The SFU's message about an error, with how the client is to reconnect: `Error` of Stream's `events.proto`, numbers
/// of `models.proto`. Never contains a token.
struct StreamSignalError: Hashable, Sendable {
  /// The number of an error.
  enum Code: Int, Hashable, Sendable {
    case callNotFound = 300
    case callParticipantLimitReached = 301
    case requestValidationFailed = 400
    case unauthenticated = 401
    case permissionDenied = 403
    case tooManyRequests = 429
    case internalServerError = 500
    case sfuShuttingDown = 600
    case sfuFull = 700

    /// The name in JSON: `ERROR_CODE_` and the case's words in capitals.
    var name: String {
      "\(self)".reduce(into: "ERROR_CODE_") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
    }
  }

  var code: Code
  var message: String
  var strategy: StreamReconnectStrategy

  init(_ code: Code, _ message: String, _ strategy: StreamReconnectStrategy = .disconnect) {
    self.code = code
    self.message = message
    self.strategy = strategy
  }

  /// Returns the error for an invalid token, after which the SDKs ask the coordinator for a new one.
  static func unauthenticated(_ message: String) -> StreamSignalError {
    StreamSignalError(.unauthenticated, message, .rejoin)
  }

  static let callFull = "participant_limit"

  /// Converts a gateway error.
  init(_ error: GatewayError) {
    let message = error.message
    switch error.httpStatus {
    case _ where error.reason == Self.callFull: self.init(.callParticipantLimitReached, message)
    case _ where error.isSame(as: .connectionRequired):
      self = .unauthenticated("connection required (\(error.number)): send a JoinRequest first")
    case 401: self = .unauthenticated(message)
    case 403: self.init(.permissionDenied, message)
    case 404: self.init(.callNotFound, message)
    // This does not concern the participation: the client continues.
    case 429: self.init(.tooManyRequests, message, .unspecified)
    case 503: self.init(.sfuShuttingDown, message, .migrate)
    case 500...: self.init(.internalServerError, message, .rejoin)
    default: self.init(.requestValidationFailed, message)
    }
  }

  var fields: ProtobufMessage {
    var error = ProtobufMessage(1, "code", .choice(code.rawValue, code.name))
    error.put(2, "message", .text(message))
    error.put(3, "shouldRetry", .flag(strategy == .rejoin || strategy == .migrate))
    var event = ProtobufMessage(4, "error", .message(error))
    event.put(5, "reconnectStrategy", .choice(strategy.rawValue, strategy.name))
    return event
  }
}
