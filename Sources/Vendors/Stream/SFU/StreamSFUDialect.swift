package import GatewayCore
internal import GatewayKit

/// The wire format of Stream's SFU without its media, the server's side: protocol buffers in frames of either kind, or
/// ProtoJSON, an object in a text frame, with those who speak so.
///
/// A JoinRequest logs in, a LeaveCallRequest logs out. What is said of calls is encoded by `StreamSignalEvent`.
package struct StreamSFUDialect: Dialect {
  /// Those of both formats.
  static let names = Set(StreamSignalFormat.allCases.map(\.name))

  /// A HealthCheckRequest, the only command.
  static let healthCheck = Command("health_check", StreamSignalRequest.healthCheck)

  package static let folder = "/sfu"
  package static let socketPath = "/sfu/ws"

  package let format: StreamSignalFormat
  private let policy: StreamSFUPolicy

  package init(_ format: StreamSignalFormat, policy: StreamSFUPolicy) {
    self.format = format
    self.policy = policy
  }

  package var name: String { format.name }

  package var refusesBeforeUpgrade: Bool { false }
  /// Python's SDK says everything in text frames, protocol buffers as they are.
  package var takesBytesAsText: Bool { true }

  package func accepts(_ upgrade: HTTPRequest) -> Bool { upgrade.path == Self.socketPath }

  package func owns(path: String) -> Bool { path.hasPrefix(Self.folder + "/") }

  // Of protocol buffers nothing is shown. A session's description has the key of its media.
  private static let redaction = JSONRedaction(["icepwd", "sdp", "publishersdp", "subscribersdp"])

  package func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    kind == .text && payload.first == UInt8(ascii: "{")
      ? Self.redaction.text(payload, isUnderstood: isUnderstood) : nil
  }

  /// The JoinRequest holds them.
  package func credentials(in upgrade: HTTPRequest) -> Credentials? { nil }

  package func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let request: StreamSignalRequest?
    do throws(StreamSignalError) {
      request =
        if kind == .text && payload.first == UInt8(ascii: "{") {
          try StreamSignalRequest.read(json: payload)
        } else {
          try StreamSignalRequest.read(protobuf: payload)
        }
    } catch {
      throw .malformedMessage.worded(error.message)
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

  package func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
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
      // What answers a JoinRequest comes from the call.
      nil
    }
  }

  /// The error as Twirp has it.
  package func response(for error: GatewayError) -> HTTPResponse {
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
