internal import GatewayCore
internal import GatewayJSON

/// A snapshot of a call and the users it shows, from which answers and events are written.
struct StreamCallPicture: Sendable {
  let call: StreamCall
  /// The members of the call that are shown.
  private(set) var members: [StreamCallMember]
  private let users: [UserID: StreamUser]

  /// The maximum number of members shown at once, as in Stream's API description.
  static let membersMax = 100
  /// The maximum number of participants that a session shows; the counts by role include all.
  static let participantsMax = 250

  init(_ call: StreamCall, members: [StreamCallMember], users: [StreamUser]) {
    self.call = call
    self.members = members
    self.users = Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The same with at most `limit` members.
  func showing(first limit: Int) -> StreamCallPicture {
    var picture = self
    picture.members = Array(members.prefix(limit))
    return picture
  }

  /// The users that a picture of `call` shows whatever members it has, each once.
  static func usersShown(in call: StreamCall) -> Set<UserID> {
    var shown: Set<UserID> = [call.createdBy]
    shown.formUnion(call.session?.shown.map(\.user) ?? [])
    return shown
  }

  /// Returns the user, or an empty user with that id: a removed user may still be shown.
  func user(_ id: UserID) -> StreamUser {
    users[id] ?? StreamUser(id, createdAt: call.createdAt)
  }

  // MARK: JSON

  /// Writes the object `CallResponse`.
  func write(to json: inout JSONWriter, _ family: StreamFamily) {
    json.beginObject()
    json.member("type", call.id.type)
    json.member("id", call.id.id)
    json.member("cid", call.id.cid)
    json.member("created_by", user(call.createdBy), family)
    json.member("custom", custom: call.custom)
    json.member("created_at", call.createdAt, family.dates)
    json.member("updated_at", call.updatedAt, family.dates)
    json.member("starts_at", ifAny: call.startsAt, family.dates)
    json.member("ended_at", ifAny: call.endedAt, family.dates)
    if let team = call.team { json.member("team", team) }
    json.member("backstage", call.isBackstage)
    let egress = call.egress ?? StreamEgress()
    json.name("recording")
    json.bool(egress.runs.keys.contains(where: \.isRecording))
    json.name("transcribing")
    json.bool(egress.runs[.transcription] != nil)
    json.name("captioning")
    json.bool(egress.runs[.captions] != nil)
    json.name("translating")
    json.bool(false)
    json.member("blocked_user_ids", strings: call.blocked.lazy.map(\.rawValue))
    json.member("current_session_id", call.liveSession?.id ?? "")
    if call.session != nil { writeSession(to: &json, family) }
    let settings = StreamCallSettings(of: call)
    if let ahead = settings.number("backstage.join_ahead_time_seconds") {
      json.member("join_ahead_time_seconds", ahead)
    }
    json.name("settings")
    settings.write(to: &json)
    // The gateway has no ingress; clients require the members, so the addresses are empty.
    json.name("ingress")
    json.raw(#"{"rtmp":{"address":""},"whip":{"address":""},"srt":{"address":""}}"#)
    json.name("egress")
    egress.write(of: call.id, to: &json, family)
    json.endObject()
  }

  private func writeSession(to json: inout JSONWriter, _ family: StreamFamily) {
    guard let session = call.session else { return }
    json.member("session") { json in
      json.member("id", session.id)
      json.member("started_at", ifAny: session.startedAt, family.dates)
      json.member("ended_at", ifAny: session.endedAt, family.dates)
      json.member("live_started_at", ifAny: session.liveStartedAt, family.dates)
      json.member("live_ended_at", ifAny: session.liveEndedAt, family.dates)
      json.name("participants")
      json.beginArray()
      for participant in session.shown { write(participant, to: &json, family) }
      json.endArray()
      let known = session.participants.filter { $0.user != .anonymous }
      json.member("participants_count_by_role") { json in
        for (role, count) in Dictionary(grouping: known, by: \.role).sorted(by: { $0.key < $1.key }) {
          json.name(role.text)
          json.integer(Int64(count.count))
        }
      }
      json.member("anonymous_participant_count", Int64(session.participants.count - known.count))
      json.member("accepted_by", session.acceptedBy, family.dates)
      json.member("rejected_by", session.rejectedBy, family.dates)
      json.member("missed_by", session.missedBy, family.dates)
    }
  }

  /// Writes the object `CallParticipantResponse`.
  func write(_ participant: StreamCallParticipant, to json: inout JSONWriter, _ family: StreamFamily) {
    json.beginObject()
    json.member("user", user(participant.user), family)
    json.member("user_session_id", participant.sessionID)
    json.member("role", participant.role.text)
    json.member("joined_at", participant.joinedAt, family.dates)
    json.endObject()
  }

  /// Writes the members that only a `CallFrameRecordingFrameReadyEvent` has.
  func writeFrame(of run: StreamEgress.Run, at: WallTime, to json: inout JSONWriter, _ family: StreamFamily) {
    let session = call.liveSession
    json.member("egress_id", run.id)
    json.member("session_id", session?.id ?? run.session)
    json.member("track_type", "composite")
    json.member("captured_at", at, family.dates)
    json.member("url", "\(run.address)/video/files/\(call.id.type)/\(call.id.id)/frames/\(run.id).jpg")
    json.member("users") { json in
      for user in Set(session?.shown.map(\.user) ?? []).sorted() {
        json.name(user.rawValue)
        json.value(self.user(user), family)
      }
    }
  }

  /// Writes at most `limit` members as an array.
  func write(members: some Sequence<StreamCallMember>, to json: inout JSONWriter, _ family: StreamFamily) {
    json.beginArray()
    for member in members { write(member, to: &json, family) }
    json.endArray()
  }

  /// Writes the object `MemberResponse`.
  func write(_ member: StreamCallMember, to json: inout JSONWriter, _ family: StreamFamily) {
    json.beginObject()
    json.member("user_id", member.user.rawValue)
    json.member("user", user(member.user), family)
    if let role = member.role { json.member("role", role.text) }
    json.member("custom", custom: member.custom)
    json.member("created_at", member.createdAt, family.dates)
    json.member("updated_at", member.updatedAt, family.dates)
    json.endObject()
  }
}

extension StreamCallSession {
  /// The participants that are shown. Anonymous ones are only counted.
  var shown: [StreamCallParticipant] {
    Array(participants.lazy.filter { $0.user != .anonymous }.prefix(StreamCallPicture.participantsMax))
  }
}

extension JSONWriter {
  /// Writes an object with the application's custom data.
  mutating func member(_ name: StaticString, custom: StreamCustom) {
    member(name) { json in
      for (name, value) in custom.sorted(by: { $0.key < $1.key }) {
        json.name(name.text)
        json.raw(value)
      }
    }
  }

  /// Writes an object with a date for each user.
  fileprivate mutating func member(_ name: StaticString, _ times: [UserID: WallTime], _ dates: StreamDates) {
    member(name) { json in
      for (user, time) in times.sorted(by: { $0.key < $1.key }) {
        json.name(user.rawValue)
        json.value(time, dates)
      }
    }
  }

  private mutating func value(_ time: WallTime, _ dates: StreamDates) {
    switch dates {
    case .text: string(StreamDates.text(time))
    case .nanoseconds: integer(time.nanoseconds)
    }
  }
}
