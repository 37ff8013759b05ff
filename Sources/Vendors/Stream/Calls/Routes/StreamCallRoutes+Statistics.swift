internal import GatewayCore
internal import GatewayJSON

// Statistics of sessions, current or ended. Without media most values are empty.

extension StreamCallRoutes {
  var statisticsRoutes: [HTTPRoute] { sessionReports + emptyReports + callStatistics }

  private var sessionReports: [HTTPRoute] {
    resource("GET", "/report", "GetCallReport") { asked throws(StreamError) in try await report(asked) }
      // The predecessor of `getCallReport`, still used by JavaScript, Swift and server SDKs.
      + resource("GET", "/stats/{session}", "GetCallStats") { asked throws(StreamError) in
        try await sessionStatistics(asked)
      }
      + resource("GET", "/session/{session}/participant_sessions", "GetCallParticipantSessions") {
        asked throws(StreamError) in
        try await participantSessions(asked)
      }
      + resource(
        "GET", "/session/{session}/participant/{user}/{user_session}/details/track", "GetCallParticipantSessionMetrics"
      ) { asked throws(StreamError) in
        let stay = try await participation(
          asked.request.parameters["user_session"], in: asked.request.parameters["session"], of: asked)
        return StreamAnswer(200) { json in
          guard let stay else { return }
          json.member("user_id", stay.participant.user.rawValue)
          json.member("user_session_id", stay.participant.sessionID)
          json.member("joined_at", stay.participant.joinedAt, asked.family.dates)
        }
      }
  }

  private var emptyReports: [HTTPRoute] {
    rest.resource("POST", .video("call/stats"), "QueryCallStats", .user) { _ throws(StreamError) in
      StreamAnswer(201) { $0.member("reports", strings: []) }
    }
      + rest.resource("POST", .video("stats"), "QueryAggregateCallStats", .user) { _ throws(StreamError) in
        StreamAnswer(201)
      }
      + rest.resource("POST", .video("call_stats"), "QueryCallSessionStats", .user) { _ throws(StreamError) in
        StreamAnswer(201) { $0.member("call_stats", strings: []) }
      }
  }

  /// The routes below `/video/call_stats/{call_type}/{call_id}/{session}`.
  private var callStatistics: [HTTPRoute] {
    statistics("/map", "GetCallStatsMap") { _, stays, json in Self.writeCounts(stays, to: &json) }
      + statistics("/participants", "QueryCallSessionParticipantStats") { request, stays, json in
        Self.writeCounts(stays, to: &json)
        json.name("participants")
        json.beginArray()
        for (user, stays) in Dictionary(grouping: stays, by: \.participant.user).sorted(by: { $0.key < $1.key }) {
          json.beginObject()
          json.member("user_id", user.rawValue)
          json.name("sessions")
          json.beginArray()
          for stay in stays { Self.write(stay, to: &json, request) }
          json.endArray()
          json.endObject()
        }
        json.endArray()
      }
      + ["/participant/{user}/{user_session}/details", "/participants/{user}/{user_session}/timeline"].flatMap { path in
        let isTimeline = path.hasSuffix("timeline")
        let operation = "GetCallSessionParticipantStats\(isTimeline ? "Timeline" : "Details")"
        return statistics(path, operation) { request, _, json in
          json.member("user_id", request.parameters["user"])
          json.member("user_session_id", request.parameters["user_session"])
          if isTimeline { json.member("events", strings: []) }
        }
      }
  }

  private func statistics(
    _ path: String, _ operation: String,
    _ write: @escaping @Sendable (StreamRequest, [StreamParticipation], inout JSONWriter) -> Void
  ) -> [HTTPRoute] {
    rest.resource("GET", .video("call_stats/{call_type}/{call_id}/{session}\(path)"), operation, .user) {
      request throws(StreamError) in
      let id = try Self.callID(request.parameters["call_type"], request.parameters["call_id"])
      try request.caller.check(id)
      let rights = StreamCallRights(request.caller, as: try await asker(request, .nobody))
      let call = try await calls.known(id, for: rights)
      try rights.check(.readCall, in: call)
      let session = request.parameters["session"]
      let stays = try await participations(in: session, of: call, at: request.receivedAt)
      return StreamAnswer(200) { json in
        json.member("call_type", id.type)
        json.member("call_id", id.id)
        json.member("call_session_id", session)
        write(request, stays, &json)
      }
    }
  }

  private static func writeCounts(_ stays: [StreamParticipation], to json: inout JSONWriter) {
    json.member("counts") { json in
      json.member("live_sessions", Int64(stays.count { $0.leftAt == nil }))
      json.member("participants", Int64(Set(stays.map(\.participant.user)).count))
      json.member("peak_concurrent_sessions", Int64(StreamParticipation.peak(of: stays)))
      json.member("peak_concurrent_users", Int64(StreamParticipation.peak(of: stays)))
      json.member("publishers", 0)
      json.member("sessions", Int64(stays.count))
      json.member("sfus_used", stays.isEmpty ? 0 : 1)
    }
  }

  private static func write(_ stay: StreamParticipation, to json: inout JSONWriter, _ request: StreamRequest) {
    json.beginObject()
    json.member("user_session_id", stay.participant.sessionID)
    json.member("publisher_type", "webrtc")
    json.member("started_at", stay.participant.joinedAt, request.dates)
    json.member("ended_at", ifAny: stay.leftAt, request.dates)
    json.member("is_live", stay.leftAt == nil)
    json.name("published_tracks")
    json.raw(#"{"audio":false,"video":false,"screenshare":false,"screenshare_audio":false}"#)
    json.endObject()
  }

  // MARK: Sessions

  /// Returns the current and past participants of the session.
  private func participations(
    in session: String, of call: StreamCall, at now: WallTime
  ) async throws(StreamError) -> [StreamParticipation] {
    let past: [StreamParticipation]
    do throws(GatewayError) {
      past = try await calls.directory.participations(in: session, of: call.id, at: now)
    } catch {
      throw StreamError(error)
    }
    guard let live = call.liveSession, live.id.utf8.elementsEqual(session.utf8) else { return past }
    // A participant who returned is listed once.
    let present = live.participants.filter { $0.user != .anonymous }
    let names = Set(present.map(\.sessionID))
    return past.filter { !names.contains($0.participant.sessionID) }
      + present.map { StreamParticipation(participant: $0, leftAt: nil) }
  }

  private func participation(
    _ name: String, in session: String, of asked: StreamCallRequest
  ) async throws(StreamError) -> StreamParticipation? {
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.readCall, in: call)
    return try await participations(in: session, of: call, at: asked.now)
      .first { $0.participant.sessionID.utf8.elementsEqual(name.utf8) }
  }

  private func participantSessions(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.readCall, in: call)
    let (session, now) = (asked.request.parameters["session"], asked.now)
    let stays = try await participations(in: session, of: call, at: now)
    let durations = stays.map { $0.duration(at: now).components.seconds }
    // Only here `duration` is a number: the answer's own, in milliseconds.
    return StreamAnswer(200, durationAsNumber: true) { json in
      json.member("call_type", asked.id.type)
      json.member("call_id", asked.id.id)
      json.member("call_session_id", session)
      json.member("total_participant_sessions", Int64(stays.count))
      json.member("total_participant_duration", durations.reduce(0, +))
      json.name("participants_sessions")
      json.beginArray()
      for (stay, duration) in zip(stays, durations) {
        json.beginObject()
        json.member("user_id", stay.participant.user.rawValue)
        json.member("user_session_id", stay.participant.sessionID)
        json.member("publisher_type", "webrtc")
        json.member("roles", strings: [stay.participant.role.text])
        json.member("joined_at", stay.participant.joinedAt, asked.family.dates)
        json.member("left_at", ifAny: stay.leftAt, asked.family.dates)
        json.member("duration_in_seconds", duration)
        json.endObject()
      }
      json.endArray()
    }
  }

  private func sessionStatistics(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.readCall, in: call)
    let stays = try await participations(in: asked.request.parameters["session"], of: call, at: asked.now)
    let isOver = stays.allSatisfy { $0.leftAt != nil }
    let begin = stays.map(\.participant.joinedAt).min() ?? asked.now
    let end = stays.map { $0.leftAt ?? asked.now }.max() ?? begin
    return StreamAnswer(200) { json in
      json.member("call_status", isOver ? "ended" : "ongoing")
      json.member("call_duration_seconds", max(0, (end - begin).components.seconds))
      json.member("max_participants", Int64(StreamParticipation.peak(of: stays)))
      json.member("sfu_count", stays.isEmpty ? 0 : 1)
      for name: StaticString in [
        "publishing_participants", "quality_score", "max_freezes_duration_seconds",
        "max_total_quality_limitation_duration_seconds",
      ] {
        json.member(name, 0)
      }
      json.name("is_truncated_report")
      json.bool(false)
      json.member("participant_report", strings: [])
      json.member("sfus", strings: [])
    }
  }

  /// Returns the statistics of one session, by default the latest.
  private func report(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.readCall, in: call)
    let session = asked.request.http.parameter("session_id") ?? call.session?.id ?? ""
    let stays = try await participations(in: session, of: call, at: asked.now)
    let ratings: [Int]
    do throws(GatewayError) {
      ratings = try await calls.directory.feedback(on: call.id, at: asked.now)
        .filter { $0.session.utf8.elementsEqual(session.utf8) }.map(\.rating)
    } catch {
      throw StreamError(error)
    }
    return StreamAnswer(200) { json in
      json.member("session_id", session)
      json.member("report") { json in
        json.member("call") { json in
          json.member("score", 0)
          json.member("started_at", ifAny: stays.map(\.participant.joinedAt).min(), asked.family.dates)
          let isOver = !stays.isEmpty && stays.allSatisfy { $0.leftAt != nil }
          json.member("ended_at", ifAny: isOver ? stays.compactMap(\.leftAt).max() : nil, asked.family.dates)
        }
        json.member("participants") { json in
          json.member("sum", Int64(stays.count))
          json.member("unique", Int64(Set(stays.map(\.participant.user)).count))
          json.member("max_concurrent", Int64(StreamParticipation.peak(of: stays)))
        }
        json.member("user_ratings") { json in
          json.member("count", Int64(ratings.count))
          json.name("average")
          json.raw(ratings.isEmpty ? "0" : String(Double(ratings.reduce(0, +)) / Double(ratings.count)))
        }
      }
    }
  }
}

extension StreamParticipation {
  /// Returns the maximum number of simultaneous participants.
  static func peak(of stays: [StreamParticipation]) -> Int {
    let moves = stays.map { ($0.participant.joinedAt, 1) } + stays.compactMap { stay in stay.leftAt.map { ($0, -1) } }
    var (now, peak) = (0, 0)
    for (_, step) in moves.sorted(by: { ($0.0, -$0.1) < ($1.0, -$1.1) }) {
      now += step
      peak = max(peak, now)
    }
    return peak
  }
}
