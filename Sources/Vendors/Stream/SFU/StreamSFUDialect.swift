internal import GatewayCore
internal import GatewayKit

/// The wire format of Stream's SFU without media, the server's side.
///
/// Messages are protocol buffers in frames of either kind, or ProtoJSON (an object in a text frame) for clients that
/// use it.
///
/// A JoinRequest logs in, a LeaveCallRequest logs out. `StreamSignalEvent` encodes the events of calls.
struct StreamSFUDialect: Dialect {
  /// The names of both formats.
  static let names = Set(StreamSignalFormat.allCases.map(\.name))

  /// A HealthCheckRequest, the only command.
  static let healthCheck = Command("health_check", StreamSignalRequest.healthCheck)

  static let folder = "/sfu"
  static let socketPath = "/sfu/ws"

  let format: StreamSignalFormat
  private let policy: StreamSFUPolicy

  init(_ format: StreamSignalFormat, policy: StreamSFUPolicy) {
    self.format = format
    self.policy = policy
  }

  var name: String { format.name }

  var refusesBeforeUpgrade: Bool { false }
  /// Python's SDK sends everything in text frames, even protocol buffers.
  var takesBytesAsText: Bool { true }

  func accepts(_ upgrade: HTTPRequest) -> Bool { upgrade.path == Self.socketPath }

  func owns(path: String) -> Bool { path.hasPrefix(Self.folder + "/") }

  // Protocol buffers are not shown at all. A session description contains the media key.
  private static let redaction = JSONRedaction(["icepwd", "sdp", "publishersdp", "subscribersdp"])

  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    kind == .text && payload.first == UInt8(ascii: "{")
      ? Self.redaction.text(payload, isUnderstood: isUnderstood) : nil
  }

  /// Returns nil: the JoinRequest contains the credentials.
  func credentials(in upgrade: HTTPRequest) -> Credentials? { nil }

  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let request =
      if kind == .text && payload.first == UInt8(ascii: "{") {
        try StreamSignalRequest.read(json: payload)
      } else {
        try StreamSignalRequest.read(protobuf: payload)
      }
    switch request {
    case .join(let join):
      return .credentials(Self.credentials(join), request: nil)
    case .healthCheck:
      guard context.isLoggedIn else { return .ping(request: nil) }
      return .command(Self.healthCheck, request: nil)
    case .leave:
      return .logout(request: nil)
    case nil:
      return nil
    }
  }

  private static func credentials(_ join: StreamSignalJoin) -> Credentials {
    let entry = StreamSFUEntry(
      sessionID: join.sessionID, strategy: join.strategy, previousSessionID: join.previousSessionID)
    return Credentials(token: join.token, details: Baggage(entry))
  }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    event(for: message)?.frame(format)
  }

  private func event(for message: OutboundMessage) -> StreamSignalEvent? {
    switch message {
    case .pong:
      .healthCheckResponse(nil)
    case .loginRefused(let error, _), .error(let error, _):
      .error(StreamSignalError(error))
    case .refreshRequired(let cause, _):
      .error(.unauthenticated(cause == .revocation ? "the token has been revoked" : "the token has expired"))
    case .refreshed:
      .joinResponse(nil, isReconnected: true, returnWindow: policy.returnWindow)
    case .closing:
      .goAway
    case .connected, .loggedOut:
      // The call sends the answer to a JoinRequest.
      nil
    }
  }

  /// Returns the error in Twirp's format.
  func response(for error: GatewayError) -> HTTPResponse {
    StreamSFURoutes.response(error)
  }
}

extension StreamSignalFormat {
  var name: String {
    switch self {
    case .protobuf: "stream-sfu"
    case .json: "stream-sfu-json"
    }
  }
}
