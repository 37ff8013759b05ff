internal import GatewayCore

/// An event on the SFU's socket: those messages of `SfuEvent`, of Stream's `events.proto`, that need no media.
enum StreamSignalEvent: Hashable, Sendable {
  /// A JoinResponse; `state` is nil if the client knows it already.
  case joinResponse(StreamSignalState?, isReconnected: Bool, returnWindow: Duration)
  /// The answer to a health check; `count` is nil if the socket has not joined.
  case healthCheckResponse(StreamSignalCount?)
  case participantJoined(CallID, StreamSignalParticipant)
  case participantLeft(CallID, StreamSignalParticipant)
  /// The session continues on another socket.
  case participantMigrationComplete
  case error(StreamSignalError)
  /// The SFU shuts down.
  case goAway
  case callEnded(StreamCallEnd)
  /// The participants who are now pinned for all participants.
  case pinsUpdated([StreamCallPin])

  func frame(_ format: StreamSignalFormat) -> Frame {
    switch format {
    case .protobuf: Frame(.binary, message.bytes)
    case .json: Frame(.text, message.json)
    }
  }

  private var message: ProtobufMessage {
    switch self {
    case .joinResponse(let state, let isReconnected, let window):
      var response = ProtobufMessage()
      if let state { response.put(1, "callState", .message(state.fields)) }
      response.put(2, "reconnected", .flag(isReconnected))
      response.put(3, "fastReconnectDeadlineSeconds", .number(UInt32(clamping: window.components.seconds)))
      return ProtobufMessage(13, "joinResponse", .message(response))
    case .healthCheckResponse(let count):
      let response = count.map { ProtobufMessage(1, "participantCount", .message($0.fields)) } ?? ProtobufMessage()
      return ProtobufMessage(14, "healthCheckResponse", .message(response))
    case .participantJoined(let call, let participant):
      return ProtobufMessage(10, "participantJoined", .message(Self.move(of: participant, in: call)))
    case .participantLeft(let call, let participant):
      return ProtobufMessage(11, "participantLeft", .message(Self.move(of: participant, in: call)))
    case .participantMigrationComplete:
      return ProtobufMessage(25, "participantMigrationComplete", .message(ProtobufMessage()))
    case .error(let error):
      return ProtobufMessage(18, "error", .message(error.fields))
    case .goAway:
      let reason = ProtobufMessage(1, "reason", .choice(1, "GO_AWAY_REASON_SHUTTING_DOWN"))
      return ProtobufMessage(20, "goAway", .message(reason))
    case .pinsUpdated(let pins):
      return ProtobufMessage(22, "pinsUpdated", .message(ProtobufMessage(1, "pins", .messages(pins.map(\.fields)))))
    case .callEnded(let end):
      return ProtobufMessage(
        23, "callEnded", .message(ProtobufMessage(1, "reason", .choice(end.rawValue, end.name))))
    }
  }

  private static func move(of participant: StreamSignalParticipant, in call: CallID) -> ProtobufMessage {
    var move = ProtobufMessage(1, "callCid", .text(call.cid))
    move.put(2, "participant", .message(participant.fields))
    return move
  }
}

/// `CallState`: the participants at the time of a join.
struct StreamSignalState: Hashable, Sendable {
  var participants: [StreamSignalParticipant]
  var startedAt: WallTime?
  var count: StreamSignalCount
  var pins: [StreamCallPin] = []

  var fields: ProtobufMessage {
    var state = ProtobufMessage(1, "participants", .messages(participants.map(\.fields)))
    if let startedAt { state.put(2, "startedAt", .time(startedAt)) }
    state.put(3, "participantCount", .message(count.fields))
    if !pins.isEmpty { state.put(4, "pins", .messages(pins.map(\.fields))) }
    return state
  }
}

extension StreamCallPin {
  /// `Pin`.
  fileprivate var fields: ProtobufMessage {
    var pin = ProtobufMessage(1, "userId", .text(user.rawValue))
    pin.put(2, "sessionId", .text(sessionID))
    return pin
  }
}

/// `ParticipantCount`: the number of participants, and how many of these are anonymous.
struct StreamSignalCount: Hashable, Sendable {
  var total: Int
  var anonymous: Int

  var fields: ProtobufMessage {
    var count = ProtobufMessage(1, "total", .number(UInt32(clamping: total)))
    count.put(2, "anonymous", .number(UInt32(clamping: anonymous)))
    return count
  }
}

/// `Participant`.
struct StreamSignalParticipant: Hashable, Sendable {
  var userID: UserID
  var sessionID: String
  var joinedAt: WallTime
  var name: String
  var image: String
  var role: String

  var fields: ProtobufMessage {
    var participant = ProtobufMessage(1, "userId", .text(userID.rawValue))
    participant.put(2, "sessionId", .text(sessionID))
    participant.put(4, "joinedAt", .time(joinedAt))
    // Clients identify participants by it.
    participant.put(5, "trackLookupPrefix", .text(sessionID))
    participant.put(10, "name", .text(name))
    participant.put(11, "image", .text(image))
    participant.put(13, "roles", .texts([role]))
    return participant
  }
}

/// The reason why a call has ended for a participant.
enum StreamCallEnd: Int, Hashable, Sendable {
  /// The call has ended for all, permanently.
  case ended = 1
  /// The call is backstage again.
  case liveEnded
  case kicked
  /// The participation was ended for another reason.
  case sessionEnded

  /// The name in JSON.
  var name: String {
    switch self {
    case .ended: "CALL_ENDED_REASON_ENDED"
    case .liveEnded: "CALL_ENDED_REASON_LIVE_ENDED"
    case .kicked: "CALL_ENDED_REASON_KICKED"
    case .sessionEnded: "CALL_ENDED_REASON_SESSION_ENDED"
    }
  }
}

extension StreamCallEvent {
  /// The event that participants receive; nil if the SFU has none.
  var signal: StreamSignalEvent? {
    switch kind {
    case .participantJoined(let participant, _): .participantJoined(picture.call.id, picture.signal(participant))
    case .participantLeft(let participant, _): .participantLeft(picture.call.id, picture.signal(participant))
    case .pinned(let pins): .pinsUpdated(pins)
    default: nil
    }
  }
}
