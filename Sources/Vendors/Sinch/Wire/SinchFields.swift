internal import GatewayCore

/// A message with credentials, by its name on the wire and in the answers that name a request, e.g. `register`.
enum SinchMessage: String, Hashable, Sendable {
  case start
  case register
  case registerFailed
}

/// The content of a message with credentials besides the token.
enum SinchDetails: Hashable, Sendable {
  /// The starting device, and its proof of an instance.
  case start(SinchDevice, SinchInstanceProof?)
  /// The kind of token, and whether the connection's registration has ended.
  case register(SinchProofKind, hasEnded: Bool)
  case registerFailed(hasEnded: Bool)

  var message: SinchMessage {
    switch self {
    case .start: .start
    case .register: .register
    case .registerFailed: .registerFailed
    }
  }
}

/// A proof that a device has an instance.
struct SinchInstanceProof: Hashable, Sendable {
  var id: Name
  var timestamp: String
  var signature: String
}

/// The kind of proof that a client registers with.
enum SinchProofKind: Hashable, Sendable {
  case token
  case ticket
  case signature(sequence: UInt64)
}
