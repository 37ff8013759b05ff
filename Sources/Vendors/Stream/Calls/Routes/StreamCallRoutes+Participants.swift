internal import GatewayCore
internal import GatewayJSON

// Pins, participants and feedback.

extension StreamCallRoutes {
  /// The maximum number of participants pinned for all.
  private static let pinsMax = 50

  var participantRoutes: [HTTPRoute] {
    resource("POST", "/pin", "VideoPin") { asked throws(StreamError) in try await pin(asked, isPinned: true) }
      + resource("POST", "/unpin", "VideoUnpin") { asked throws(StreamError) in try await pin(asked, isPinned: false) }
      + resource("POST", "/participants", "QueryCallParticipants", acting: .user) { asked throws(StreamError) in
        try await queryParticipants(asked)
      }
      + resource("POST", "/feedback", "CollectUserFeedback", acting: .user) { asked throws(StreamError) in
        try await takeFeedback(asked)
      }
      + rest.resource("POST", .video("call/feedback"), "QueryUserFeedback", .server) { request throws(StreamError) in
        try await queryFeedback(request)
      }
  }

  private func pin(_ asked: StreamCallRequest, isPinned: Bool) async throws(StreamError) -> StreamAnswer {
    let user = try StreamUser.checkedID(asked.body.requiredString("user_id", max: UserID.lengthMax))
    let pin = StreamCallPin(user: user, sessionID: try asked.body.requiredString("session_id", max: 128))
    let (rights, now) = (asked.rights, asked.now)
    _ = try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
      try rights.demand(.pinForEveryone, in: call)
      guard call.present.contains(where: { $0.user == user && $0.sessionID == pin.sessionID }) else {
        if !isPinned { return }
        throw StreamError.doesNotExist("there is no participant of that user_id and session_id").gatewayError
      }
      var pins = (call.session?.pins ?? []).filter { $0 != pin }
      if isPinned { pins.append(pin) }
      guard pins.count <= Self.pinsMax else { throw .tooMany.detailed("\(Self.pinsMax) pinned participants") }
      call.session?.pins = pins
    }
    return StreamAnswer(201)
  }

  private func queryParticipants(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let filter = try StreamFilter(of: asked.body, fields: StreamCallParticipant.filterFields)
    var limit = StreamCallPicture.participantsMax
    if let text = asked.request.http.parameter("limit") {
      guard let number = Int(text), (1...limit).contains(number) else {
        throw .input("field \"limit\" must be an integer of 1 to \(limit)", field: "limit")
      }
      limit = number
    }
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.readCall, in: call)
    let meant = call.present.filter { $0.user != .anonymous && filter.holds(for: $0.filterValue) }
    let picture = try await calls.picture(
      of: call, members: StreamCallPicture.membersMax, with: meant.prefix(limit).map(\.user))
    return StreamAnswer(201) { json in
      Self.writeState(
        picture, for: asked.rights, to: &json, asked.family)
      json.name("participants")
      json.beginArray()
      for participant in meant.prefix(limit) { picture.write(participant, to: &json, asked.family) }
      json.endArray()
      json.member("total_participants", Int64(meant.count))
    }
  }

  // MARK: Feedback

  private func takeFeedback(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let (body, now) = (asked.body, asked.now)
    guard let rating = try body.integer("rating", in: 1...5) else {
      throw .input("rating is a required field", field: "rating")
    }
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.readCall, in: call)
    let feedback = StreamFeedback(
      by: try asked.actingUser().id, in: call.session?.id ?? "", as: try body.string("user_session_id", max: 255),
      rating: Int(rating), reason: try body.string("reason", max: 1024),
      sdk: try body.requiredString("sdk", max: 255), sdkVersion: try body.requiredString("sdk_version", max: 255),
      custom: try body.custom("custom") ?? [:], at: now)
    do throws(GatewayError) {
      try await calls.directory.keep(feedback, on: asked.id, at: now)
    } catch {
      throw StreamError(error)
    }
    await calls.tell([.feedback(feedback)], of: call, at: now)
    return StreamAnswer(201)
  }

  /// Returns the feedback of all calls, or of one if the filter names its `call_cid`.
  private func queryFeedback(_ request: StreamRequest) async throws(StreamError) -> StreamAnswer {
    let filter = try StreamFilter(of: request.body, fields: StreamFeedback.filterFields)
    let page = try StreamPage<StreamFeedbackPlace>(request.body, limitMax: 100)
    let order = try StreamOrder(request.body, by: StreamFeedback.sortFields)
    let all: [(CallID, StreamFeedback)]
    do throws(GatewayError) {
      all = try await calls.directory.feedback(at: request.receivedAt)
    } catch {
      throw StreamError(error)
    }
    let meant = all.filter { call, feedback in filter.holds { feedback.filterValue($0, on: call) } }
      .map { (call: $0, feedback: $1, place: StreamFeedbackPlace($1, on: $0)) }
      .sorted { $0.place.precedes($1.place, in: order) }
    let (rows, cursors) = page.cut(meant, at: \.place) { $0.precedes($1, in: order) }
    return StreamAnswer(201) { json in
      json.name("user_feedback")
      json.beginArray()
      for (call, feedback, _) in rows {
        json.beginObject()
        json.member("cid", call.cid)
        json.member("user_id", feedback.user.rawValue)
        json.member("session_id", feedback.session)
        feedback.writeOpinion(to: &json)
        if feedback.reason == nil { json.member("reason", "") }
        json.name("platform")
        json.raw(#"{"browser":{},"device":{},"os":{}}"#)
        json.endObject()
      }
      json.endArray()
      cursors.write(to: &json)
    }
  }
}

extension StreamCallParticipant {
  static let filterFields: Set<Name> = ["user_id", "role", "joined_at", "user_session_id"]

  func filterValue(_ name: Name) -> StreamFilterValue? {
    switch name {
    case "user_id": .string(user.name)
    case "role": .string(role)
    case "joined_at": .date(joinedAt)
    case "user_session_id": .string(Name(sessionID))
    default: nil
    }
  }
}

extension StreamFeedback {
  static let filterFields: Set<Name> = ["call_cid", "cid", "user_id", "session_id", "created_at"]
  static let sortFields: Set<Name> = ["call_cid", "cid", "user_id", "created_at"]

  func filterValue(_ name: Name, on call: CallID) -> StreamFilterValue? {
    switch name {
    case "call_cid", "cid": .string(Name(call.cid))
    case "user_id": .string(user.name)
    case "session_id": .string(Name(session))
    case "created_at": .date(at)
    default: nil
    }
  }
}
