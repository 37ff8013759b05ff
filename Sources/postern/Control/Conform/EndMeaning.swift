import GatewayCore

/// The meaning that an end must have to clients of a wire, e.g. `.status(403, .giveUp)`.
enum EndMeaning: Sendable {
  /// A close frame with the code.
  case close(UInt16, ReturnVerdict)
  /// A refused upgrade with the HTTP status.
  case status(Int, ReturnVerdict)
  /// A token that is refused for another reason than its age: the client may bring another.
  case badTokenIsNotFinal
}
