import GatewayCore
import TestSupport
import Testing

@testable import GatewayStream

struct StreamSFUDialectTests {
  private static let session = "0b2e7f66-2a1c-4f5e-9d54-7d1f6ad0c1aa"
  private static let previous = "5f0c1d22-91b3-4c6e-8a77-0c2b4e6f8a10"
  private static let time = WallTime(nanoseconds: 1_800_000_000_123_456_789)

  private let dialect = StreamSFUDialect(.protobuf, policy: StreamSFUPolicy())

  private func decode(_ bytes: [UInt8], _ kind: Frame.Kind) throws(GatewayError) -> InboundMessage? {
    try bytes.span.bytes.withUnsafeBytes { (payload) throws(GatewayError) in try dialect.decode(payload, kind) }
  }

  // MARK: Messages of clients

  @Test(arguments: SignalVector.requests)
  func `every message of a client is read from the vendor's own bytes and from their JSON`(vector: SignalVector) throws
  {
    for message in [try decode(vector.bytes, .binary), try decode(Array(vector.json.utf8), .text)] {
      switch vector.name {
      case "health_check":
        guard case .command(let command, _)? = message else {
          Issue.record("\(message as Any)")
          continue
        }
        #expect(command.label == "health_check")
      case "leave":
        #expect(message == .logout(request: nil))
      default:
        guard case .credentials(let credentials, _)? = message else {
          Issue.record("\(message as Any)")
          continue
        }
        let strategy = ["join": 0, "join_fast_old": 2, "join_fast": 2, "join_rejoin": 3, "join_migrate": 4][vector.name]
        let hasPrevious = ["join_rejoin", "join_migrate"].contains(vector.name)
        let entry = credentials.details?.unpacked(StreamSFUEntry.self)
        #expect(credentials.token == "a.b.c" && entry?.sessionID == Self.session)
        #expect(entry?.strategy.rawValue == strategy)
        #expect(entry?.previousSessionID == (hasPrevious ? Self.previous : nil))
      }
    }
  }

  @Test
  func `JSON may have the names of the definition, and numbers for the values of enumerations`() throws {
    let text = #"{"join_request":{"token":"t","session_id":"s","reconnect_details":{"strategy":3}}}"#
    guard case .credentials(let credentials, _)? = try decode(Array(text.utf8), .text) else {
      Issue.record("no credentials")
      return
    }
    let entry = credentials.details?.unpacked(StreamSFUEntry.self)
    #expect(entry?.sessionID == "s" && entry?.strategy.rawValue == 3)
  }

  @Test
  func `a ping before the login is answered, and announced to nobody`() throws {
    var context = DialectContext.loggedIn
    context.isLoggedIn = false
    let request: [UInt8] = [0x12, 0x00]
    let message = try request.span.bytes.withUnsafeBytes { (payload) throws(GatewayError) in
      try dialect.decode(payload, .binary, context)
    }
    #expect(message == .ping(request: nil))
    #expect(dialect.encode(.pong(request: nil)) == Frame(.binary, [0x72, 0x00]))
  }

  @Test
  func `unknown fields of every wire type are ignored, and so is an unknown message`() throws {
    // Varint 15, eight bytes 16, four bytes 17, a message 100, then JoinRequest with a field 99 in it.
    let join: [UInt8] = [0x0A, 1, 0x74, 0x12, 1, 0x73, 0x9A, 0x06, 2, 0x08, 0x01]
    let unknown: [UInt8] =
      [0x78, 0x96, 0x01, 0x81, 0x01, 1, 2, 3, 4, 5, 6, 7, 8, 0x8D, 0x01, 1, 2, 3, 4, 0xA2, 0x06, 2, 0x08, 0x01]
    guard case .credentials(let credentials, _)? = try decode(unknown + [0x0A, UInt8(join.count)] + join, .binary)
    else {
      Issue.record("no credentials")
      return
    }
    #expect(credentials.token == "t")
    #expect(credentials.details?.unpacked(StreamSFUEntry.self)?.sessionID == "s")
    #expect(try decode(unknown, .binary) == nil && decode([], .binary) == nil && decode(Array("{}".utf8), .text) == nil)
    // A known field of another wire type counts as unknown.
    #expect(try decode([0x08, 0x01], .binary) == nil)
  }

  @Test(
    arguments: [
      [0x0A], [0x0A, 0x05, 0x01], [0x80], [0x08, 0x80], [0x00, 0x00], [0x02, 0x00], [0x0B, 0x0C], [0x0C], [0x0E],
      [0x0F],
      [0x0D, 1, 2, 3], [0x09, 1, 2, 3, 4, 5, 6, 7],
      [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
      [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02],
      [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
      [0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x00],
      // Invalid UTF-8 in the token, and in the session.
      [0x0A, 0x06, 0x0A, 0x01, 0xFF, 0x12, 0x01, 0x73], [0x0A, 0x06, 0x0A, 0x01, 0x74, 0x12, 0x01, 0xFF],
      // No session, an empty one, and one with a line feed.
      [0x0A, 0x00], [0x0A, 0x02, 0x12, 0x00], [0x0A, 0x03, 0x12, 0x01, 0x0A],
    ] as [[UInt8]])
  func `bytes that are no message are refused`(bytes: [UInt8]) {
    #expect(throws: GatewayError.self) { try decode(bytes, .binary) }
  }

  @Test
  func `nested messages cost nothing however deep they are, and an incomplete message does no harm`() throws {
    var deep: [UInt8] = []
    while deep.count < 60_000 {
      var size = deep.count
      var length: [UInt8] = []
      while size >= 0x80 {
        length.append(UInt8(size & 0x7F) | 0x80)
        size >>= 7
      }
      deep = [0x3A] + length + [UInt8(size)] + deep
    }
    #expect(try decode(deep, .binary) == nil)
    for vector in SignalVector.requests {
      for count in 0..<vector.bytes.count { _ = try? decode(Array(vector.bytes.prefix(count)), .binary) }
      for index in vector.bytes.indices {
        for byte: UInt8 in [0x00, 0x7F, 0x80, 0xFF] {
          var changed = vector.bytes
          changed[index] = byte
          _ = try? decode(changed, .binary)
        }
      }
    }
  }

  @Test(arguments: [
    "{", "[]", "7", #"{"joinRequest":7}"#, #"{"joinRequest":{"token":1,"sessionId":"s"}}"#,
    #"{"joinRequest":{}}"#,
    #"{"joinRequest":{"token":"t","sessionId":"s","reconnectDetails":[]}}"#,
    #"{"joinRequest":{"token":"t","sessionId":"s","reconnectDetails":{"strategy":{}}}}"#,
  ])
  func `text that is no message is refused`(text: String) {
    #expect(throws: GatewayError.self) { try decode(Array(text.utf8), .text) }
  }

  // MARK: Messages of the gateway

  private static let ann = StreamSignalParticipant(
    userID: UserID("ann"), sessionID: session, joinedAt: time, name: "Ann Ångström", image: "https://i.example/a.png",
    role: "host")
  private static let bob = StreamSignalParticipant(
    userID: UserID("bob"), sessionID: previous, joinedAt: time, name: "", image: "", role: "user")

  private static let events: [(String, StreamSignalEvent)] = {
    let call = CallID(cid: "default:standup")!
    let state = StreamSignalState(
      participants: [ann, bob], startedAt: time, count: StreamSignalCount(total: 3, anonymous: 1))
    let errors: [(StreamSignalError.Code, StreamReconnectStrategy)] = [
      (.callNotFound, .disconnect), (.callParticipantLimitReached, .disconnect),
      (.requestValidationFailed, .disconnect), (.unauthenticated, .rejoin), (.permissionDenied, .disconnect),
      (.tooManyRequests, .unspecified), (.internalServerError, .rejoin), (.sfuShuttingDown, .migrate),
      (.sfuFull, .rejoin),
    ]
    return [
      ("join_response", .joinResponse(state, isReconnected: false, returnWindow: .seconds(5))),
      ("join_response_empty", .joinResponse(nil, isReconnected: false, returnWindow: .zero)),
      ("join_response_reconnected", .joinResponse(nil, isReconnected: true, returnWindow: .seconds(5))),
      ("health_check_empty", .healthCheckResponse(nil)),
      ("health_check", .healthCheckResponse(StreamSignalCount(total: 300, anonymous: 2))),
      ("participant_joined", .participantJoined(call, bob)), ("participant_left", .participantLeft(call, bob)),
      ("migration_complete", .participantMigrationComplete), ("go_away", .goAway),
      ("call_ended_1", .callEnded(.ended)), ("call_ended_2", .callEnded(.liveEnded)),
      ("call_ended_3", .callEnded(.kicked)), ("call_ended_4", .callEnded(.sessionEnded)),
    ] + errors.map { ("error_\($0.rawValue)", .error(StreamSignalError($0, "why", $1))) }
  }()

  @Test
  func `every message of the gateway has the bytes and the JSON that the vendor's own classes write`() throws {
    #expect(Set(Self.events.map(\.0)) == Set(SignalVector.events.keys))
    for (name, event) in Self.events {
      let vector = try #require(SignalVector.events[name])
      #expect(event.frame(.protobuf) == Frame(.binary, vector.bytes), "\(name)")
      #expect(event.frame(.json) == Frame(text: vector.json), "\(name)")
    }
  }

  @Test
  func `errors of the gateway have the SFU's numbers, and tell the client how to reconnect`() {
    let table: [(GatewayError, Int, StreamReconnectStrategy)] = [
      (.tokenExpired, 401, .rejoin), (.tokenRevoked, 401, .rejoin), (.signatureInvalid, 401, .rejoin),
      (.connectionRequired, 401, .rejoin), (.anonymousRefused, 403, .disconnect), (.notPermitted, 403, .disconnect),
      (.notFound, 300, .disconnect), (.malformedMessage, 400, .disconnect), (.tooMany, 429, .unspecified),
      (.internalError, 500, .rejoin), (.draining, 600, .migrate),
    ]
    for (error, code, strategy) in table {
      let isEarly = error.isSame(as: .connectionRequired)
      let message = isEarly ? "connection required (800101): send a JoinRequest first" : error.message
      let refusal = StreamSignalError(StreamSignalError.Code(rawValue: code)!, message, strategy)
      let expected = StreamSignalEvent.error(refusal)
      #expect(dialect.encode(.error(error, request: nil)) == expected.frame(.protobuf), "\(error.name)")
      #expect(dialect.encode(.loginRefused(error, request: nil)) == expected.frame(.protobuf), "\(error.name)")
    }
  }
}
