internal import GatewayCore

/// A message of a client on the SFU's socket: `SfuRequest` of Stream's `events.proto`.
enum StreamSignalRequest: Hashable {
  case join(StreamSignalJoin)
  case healthCheck
  case leave

  /// Reads `SfuRequest` from bytes; returns nil if it contains no known message.
  static func read(protobuf payload: UnsafeRawBufferPointer) throws(GatewayError) -> StreamSignalRequest? {
    try read(ProtobufFields(Array(payload)[...]))
  }

  /// Reads `SfuRequest` from ProtoJSON; returns nil if it contains no known message.
  static func read(json payload: UnsafeRawBufferPointer) throws(GatewayError) -> StreamSignalRequest? {
    try read(StreamSignalObject(payload))
  }

  private static func read(_ fields: some StreamSignalFields) throws(GatewayError) -> StreamSignalRequest? {
    if let join = try fields.message(StreamSignalField(1, "joinRequest")) { return .join(try StreamSignalJoin(join)) }
    if try fields.message(StreamSignalField(2, "healthCheckRequest")) != nil { return .healthCheck }
    if try fields.message(StreamSignalField(3, "leaveCallRequest")) != nil { return .leave }
    return nil
  }
}

/// `JoinRequest`, without the fields about media.
struct StreamSignalJoin: Hashable {
  /// The maximum length of a client's session name in bytes; the SDKs use UUIDs.
  static let sessionIDMax = 128

  var token: String
  /// The client's name for its participation.
  var sessionID: String
  var strategy: StreamReconnectStrategy
  /// The participation that this one replaces.
  var previousSessionID: String?

  fileprivate init(_ fields: some StreamSignalFields) throws(GatewayError) {
    token = try fields.text(StreamSignalField(1, "token")) ?? ""
    sessionID = try fields.text(StreamSignalField(2, "sessionId")) ?? ""
    guard Self.isSessionID(sessionID) else {
      throw .malformedMessage.worded("session_id must be 1 to \(Self.sessionIDMax) bytes of printable ASCII")
    }
    guard let details = try fields.message(StreamSignalField(7, "reconnectDetails")) else {
      let isFast = try fields.number(StreamSignalField(6, "fastReconnect")) == 1
      strategy = isFast ? .fast : .unspecified
      return
    }
    strategy =
      try details.number(StreamSignalField(1, "strategy")).flatMap(StreamReconnectStrategy.init) ?? .unspecified
    let previous = try details.text(StreamSignalField(7, "previousSessionId")) ?? ""
    previousSessionID = Self.isSessionID(previous) ? previous : nil
  }

  /// Returns whether the text is ASCII only: such texts are equal only if their bytes are.
  private static func isSessionID(_ text: String) -> Bool {
    (1...sessionIDMax).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

/// The way in which a client reconnects or is told to; `WebsocketReconnectStrategy` of Stream's `models.proto`.
enum StreamReconnectStrategy: Int, Hashable, Sendable, CaseIterable {
  /// The client decides.
  case unspecified
  /// No reconnect.
  case disconnect
  /// With the same token and session.
  case fast
  /// With a new join at the coordinator, as a new session.
  case rejoin
  /// With a new join at another SFU.
  case migrate

  /// The name in JSON.
  var name: String { "WEBSOCKET_RECONNECT_STRATEGY_\("\(self)".uppercased())" }

  init?(name: String) {
    guard let strategy = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = strategy
  }
}
