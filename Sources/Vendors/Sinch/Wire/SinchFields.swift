internal import GatewayCore

/// A message that bears credentials, by its name on the wire, and in the answers' names of requests: `register`, for
/// instance.
enum SinchMessage: String, Hashable, Sendable {
  case start
  case register
  case registerFailed
}

/// The content of such a message beside the token: who starts, for instance, and the instance that they have.
enum SinchDetails: Hashable, Sendable {
  /// Who starts, and the instance that they have.
  case start(SinchDevice, SinchInstanceProof?)
  /// What the token is, and whether the registration that the connection lives by has ended.
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

/// A proof that a device has an instance: its id, with a signature made by its secret at a time, for instance.
struct SinchInstanceProof: Hashable, Sendable {
  var id: Name
  var timestamp: String
  var signature: String
}

/// The kind of proof that a client registers with: a legacy signature with its sequence number, for instance.
enum SinchProofKind: Hashable, Sendable {
  case token
  case ticket
  case signature(sequence: UInt64)
}
