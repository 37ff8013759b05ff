internal import GatewayCore
internal import GatewayJSON

// Recordings, transcriptions, captions and broadcasts as switches: they can be on, but produce only file names.

extension StreamCallRoutes {
  /// The maximum number of broadcasts of a call at once.
  private static let broadcastsMax = 10

  var egressRoutes: [HTTPRoute] { recordingRoutes + textRoutes + broadcastRoutes }

  private var recordingRoutes: [HTTPRoute] {
    resource("POST", "/recordings/{recording_type}/start", "StartRecording") { asked throws(StreamError) in
      try await start(asked, [try Self.recordingKind(asked)])
    }
      + resource("POST", "/recordings/{recording_type}/stop", "StopRecording") { asked throws(StreamError) in
        try await stop(asked, [try Self.recordingKind(asked)])
      }
      // For clients of the time when there was only one type.
      + resource("POST", "/start_recording", "StartRecording") { asked throws(StreamError) in
        try await start(asked, [.composite])
      }
      + resource("POST", "/stop_recording", "StopRecording") { asked throws(StreamError) in
        try await stop(asked, [.composite])
      }
      + resource("POST", "/start_frame_recording", "StartFrameRecording") { asked throws(StreamError) in
        try await start(asked, [.frames])
      }
      + resource("POST", "/stop_frame_recording", "StopFrameRecording") { asked throws(StreamError) in
        try await stop(asked, [.frames])
      }
  }

  private var textRoutes: [HTTPRoute] {
    resource("POST", "/start_transcription", "StartTranscription") { asked throws(StreamError) in
      let captions = try asked.body.bool("enable_closed_captions") ?? false
      return try await start(asked, captions ? [.transcription, .captions] : [.transcription])
    }
      + resource("POST", "/stop_transcription", "StopTranscription") { asked throws(StreamError) in
        let captions = try asked.body.bool("stop_closed_captions") ?? false
        return try await stop(asked, captions ? [.transcription, .captions] : [.transcription])
      }
      + resource("POST", "/start_closed_captions", "StartClosedCaptions") { asked throws(StreamError) in
        let transcription = try asked.body.bool("enable_transcription") ?? false
        return try await start(asked, transcription ? [.captions, .transcription] : [.captions])
      }
      + resource("POST", "/stop_closed_captions", "StopClosedCaptions") { asked throws(StreamError) in
        let transcription = try asked.body.bool("stop_transcription") ?? false
        return try await stop(asked, transcription ? [.captions, .transcription] : [.captions])
      }
      + resource("POST", "/closed_captions", "SendClosedCaption", acting: .user) { asked throws(StreamError) in
        try await caption(asked)
      }
  }

  private var broadcastRoutes: [HTTPRoute] {
    resource("POST", "/start_broadcasting", "StartHLSBroadcasting") { asked throws(StreamError) in
      let call = try await started(asked, [.hls])
      let playlist = call.egress?.runs[.hls]?.playlist(of: call.id) ?? ""
      return StreamAnswer(201) { $0.member("playlist_url", playlist) }
    }
      + resource("POST", "/stop_broadcasting", "StopHLSBroadcasting") { asked throws(StreamError) in
        try await stop(asked, [.hls])
      }
      + resource("POST", "/rtmp_broadcasts", "StartRTMPBroadcasts") { asked throws(StreamError) in
        try await startBroadcasts(asked)
      }
      + resource("POST", "/rtmp_broadcasts/stop", "StopAllRTMPBroadcasts") { asked throws(StreamError) in
        try await stopBroadcast(asked, nil)
      }
      + resource("POST", "/rtmp_broadcasts/{name}/stop", "StopRTMPBroadcast") { asked throws(StreamError) in
        try await stopBroadcast(asked, asked.request.parameters["name"])
      }
  }

  private static func recordingKind(_ asked: StreamCallRequest) throws(StreamError) -> StreamEgress.Kind {
    guard let kind = StreamEgress.Kind(rawValue: asked.request.parameters["recording_type"]), kind.isRecording else {
      throw .input("recording_type must be one of composite, individual, raw", field: "recording_type")
    }
    return kind
  }

  // MARK: Start and stop

  private func start(
    _ asked: StreamCallRequest, _ kinds: [StreamEgress.Kind]
  ) async throws(StreamError) -> StreamAnswer {
    _ = try await started(asked, kinds)
    return StreamAnswer(201)
  }

  private func started(
    _ asked: StreamCallRequest, _ kinds: [StreamEgress.Kind]
  ) async throws(StreamError) -> StreamCall {
    for name in ["recording_external_storage", "transcription_external_storage", "external_storage", "language"] {
      _ = try asked.body.string(name, max: 255)
    }
    let (rights, now, address) = (asked.rights, asked.now, address(asked))
    return try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
      try call.start(kinds, by: rights, from: address, at: now)
    }.after
  }

  private func stop(
    _ asked: StreamCallRequest, _ kinds: [StreamEgress.Kind]
  ) async throws(StreamError) -> StreamAnswer {
    let (rights, now) = (asked.rights, asked.now)
    _ = try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
      for kind in kinds {
        try rights.demand(kind.stopping, in: call)
        call.changeEgress { $0.stop(kind) }
      }
    }
    return StreamAnswer(201)
  }

  /// Returns the address at which the caller reaches the gateway.
  func address(_ asked: StreamCallRequest) -> String {
    let policy = calls.policy.sfu
    if let address = policy?.address { return address }
    return asked.request.http.host.map { "http\(policy?.isSecure == true ? "s" : "")://\($0)" }
      ?? StreamEgress.addressUnknown
  }

  // MARK: External broadcasts

  private func startBroadcasts(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let now = asked.now
    var broadcasts: [StreamEgress.Broadcast] = []
    for view in try asked.body.array("broadcasts", count: Self.broadcastsMax) ?? [] {
      let body = try StreamBody(view, inside: "broadcasts")
      let url = try body.requiredString("stream_url", max: 1024)
      guard url.hasPrefix("rtmp://") || url.hasPrefix("rtmps://") else {
        throw body.wrong("stream_url", "an address of RTMP or RTMPS")
      }
      // A stream key is a third party's secret and has no use here.
      _ = try body.string("stream_key", max: 1024)
      broadcasts.append(
        StreamEgress.Broadcast(name: try body.requiredString("name", max: 255), url: url, startedAt: now))
    }
    guard !broadcasts.isEmpty else { throw .input("broadcasts is a required field", field: "broadcasts") }
    let rights = asked.rights
    _ = try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
      try rights.demand(.startBroadcastCall, in: call)
      try call.checkOpen()
      guard StreamCallSettings(of: call).allowsBroadcasts else {
        throw StreamError.input("RTMP broadcasts are disabled in the call's settings").gatewayError
      }
      let isRoom = call.changeEgress { egress in
        for broadcast in broadcasts { egress.start(broadcast) }
        return egress.broadcasts.count <= Self.broadcastsMax
      }
      guard isRoom else { throw .tooMany.detailed("\(Self.broadcastsMax) broadcasts of a call") }
    }
    return StreamAnswer(201)
  }

  private func stopBroadcast(_ asked: StreamCallRequest, _ name: String?) async throws(StreamError) -> StreamAnswer {
    let (rights, now) = (asked.rights, asked.now)
    _ = try await calls.change(asked.id, by: rights.user, at: now) { (call) throws(GatewayError) in
      try rights.demand(.stopBroadcastCall, in: call)
      guard call.changeEgress({ $0.stopBroadcast(name) }) else {
        throw StreamError.doesNotExist("there is no broadcast of that name").gatewayError
      }
    }
    return StreamAnswer(201)
  }

  // MARK: Captions

  private func caption(_ asked: StreamCallRequest) async throws(StreamError) -> StreamAnswer {
    let (body, now) = (asked.body, asked.now)
    let speaker = try body.requiredString("speaker_id", max: 255)
    let text = try body.requiredString("text", max: 1024)
    let start = try body.date("start_time") ?? now
    let call = try await calls.known(asked.id, for: asked.rights)
    try asked.rights.check(.sendClosedCaptionsCall, in: call)
    let user: UserID
    if let known = asked.user { user = known.id } else { user = try StreamUser.checkedID(speaker) }
    let caption = StreamCaption(
      id: StreamIdentifier.text(now, 1), user: user, speaker: speaker,
      text: text, language: try body.string("language", max: 32) ?? "en", service: try body.string("service", max: 255),
      isTranslated: try body.bool("translated") ?? false, startedAt: start,
      endedAt: try body.date("end_time") ?? max(start, now))
    await calls.tell([.caption(caption)], of: call, at: now)
    return StreamAnswer(201)
  }
}

extension StreamCall {
  /// Starts what the rights allow, for clients that reach the gateway at `address`.
  mutating func start(
    _ kinds: [StreamEgress.Kind], by rights: StreamCallRights, from address: String, at now: WallTime
  ) throws(GatewayError) {
    let settings = StreamCallSettings(of: self)
    for kind in kinds {
      try rights.demand(kind.starting, in: self)
      try checkOpen()
      guard settings.allows(kind) else {
        throw StreamError.input("\(kind.modePath) of the call's settings disables it").gatewayError
      }
      let session = liveSession?.id ?? ""
      changeEgress { $0.start(kind, in: session, from: address, at: now) }
    }
  }

  func checkOpen() throws(GatewayError) {
    if endedAt != nil { throw StreamError.input("the call has ended").gatewayError }
  }
}
