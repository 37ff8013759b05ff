import GatewayCore
import GatewayJSON
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct EgressTests {
  private static let all = """
    {"data":{"settings_override":{"individual_recording":{"mode":"available"},"raw_recording":{"mode":"available"},
    "frame_recording":{"mode":"available"}}}}
    """

  /// Returns a call that ann has created, whose settings allow everything.
  private func world(_ body: String = Self.all) throws -> StreamCallWorld {
    let http = try StreamCallWorld()
    #expect(try http.ask("POST", "call/default/a", body).status == 201)
    return http
  }

  private func call(_ http: StreamCallWorld, _ path: String) throws -> JSONView? {
    try http.ask("GET", "call/default/a").body.at("call.\(path)")
  }

  @Test(arguments: [
    ("composite", "start-record-call"), ("individual", "start-individual-record-call"),
    ("raw", "start-raw-record-call"),
  ])
  func `recordings, transcriptions and broadcasts are shown in the call from start to stop, and watchers are told`(
    type: String, capability: String
  ) throws {
    let http = try world()
    #expect(try http.ask("POST", "call/default/a/recordings/\(type)/start", "{}").status == 201)
    let started = try http.event("call.recording_started")
    #expect(started.at("recording_type")?.string == type && started.at("egress_id")?.string?.utf8.count == 36)
    #expect(try call(http, "recording")?.bool == true)
    #expect(try call(http, "egress.\(type)_recording.status")?.string == "running")
    // A repetition changes nothing.
    #expect(try http.ask("POST", "call/default/a/recordings/\(type)/start").status == 201)
    #expect(http.told().filter { $0 == "call.recording_started" }.count == 1)
    http.advance(by: .seconds(90))
    #expect(try http.ask("POST", "call/default/a/recordings/\(type)/stop").status == 201)
    #expect(http.told().suffix(2) == ["call.recording_stopped", "call.recording_ready"])
    #expect(try http.event("call.recording_stopped").at("egress_id")?.string == started.at("egress_id")?.string)
    #expect(try call(http, "recording")?.bool == false)
    let listed = try http.ask("GET", "call/default/a/recordings")
    #expect(listed.body.at("recordings")?.count == 1 && listed.body.at("recordings.0.recording_type")?.string == type)
    let name = try #require(listed.body.at("recordings.0.filename")?.string)
    #expect(try http.event("call.recording_ready").at("call_recording.filename")?.string == name)
    let v2 = try http.ask("GET", "call/default/a/recordings", v2: true).body
    let start = try #require(v2.at("recordings.0.start_time")?.integer)
    #expect(v2.at("recordings.0.end_time")?.integer == start + 90_000_000_000)
    #expect(try http.ask("POST", "call/default/a/recordings/\(type)/stop").status == 201)
    #expect(http.told().filter { $0 == "call.recording_stopped" }.count == 1)
    #expect(try http.ask("POST", "call/default/a/recordings/\(type)/start", as: .guest).status == 403)
    #expect(try http.ask("GET", "call/default/a").body.strings("own_capabilities").contains(capability))
  }

  @Test
  func `recordings can be fetched and deleted, once`() throws {
    let http = try world()
    _ = try http.ask("POST", "call/default/a/start_recording")
    _ = try http.ask("POST", "call/default/a/stop_recording")
    let file = try http.ask("GET", "call/default/a/recordings").body
    let (name, url) = (
      try #require(file.at("recordings.0.filename")?.string), try #require(file.at("recordings.0.url")?.string)
    )
    let path = String(url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" })
    let fetched = try http.fetch("GET", path, as: .nobody)
    #expect(fetched.status == 200 && fetched.body.count == 16 && fetched.body[4...7].elementsEqual("ftyp".utf8))
    #expect(try http.fetch("GET", path + "x", as: .nobody).status == 404)
    #expect(try http.ask("DELETE", "call/default/a/none/transcriptions/\(name)", as: .server).status == 404)
    #expect(try http.ask("DELETE", "call/default/a/none/recordings/\(name)").status == 403)
    #expect(try http.ask("DELETE", "call/default/a/none/recordings/\(name)", as: .server).status == 200)
    #expect(
      try http.ask("DELETE", "call/default/a/none/recordings/\(name)", as: .server).body.at("code")?.integer == 16)
    #expect(try http.fetch("GET", path, as: .nobody).status == 404)
  }

  @Test
  func `transcriptions and captions start together if that is asked`() throws {
    let http = try world()
    _ = try http.ask("POST", "call/default/a/start_transcription", #"{"enable_closed_captions":true,"language":"en"}"#)
    #expect(http.told().suffix(2) == ["call.transcription_started", "call.closed_captions_started"])
    #expect(try call(http, "transcribing")?.bool == true)
    #expect(try call(http, "captioning")?.bool == true)
    _ = try http.ask("POST", "call/default/a/stop_closed_captions", #"{"stop_transcription":true}"#)
    #expect(
      http.told().suffix(3) == [
        "call.transcription_stopped", "call.transcription_ready", "call.closed_captions_stopped",
      ])
    #expect(try http.ask("GET", "call/default/a/transcriptions").body.at("transcriptions")?.count == 1)
    #expect(try http.ask("GET", "call/default/a/recordings").body.at("recordings")?.count == 0)
    _ = try http.ask("POST", "call/default/a/start_closed_captions")
    _ = try http.ask("POST", "call/default/a/stop_transcription", #"{"stop_closed_captions":true}"#)
    #expect(try call(http, "captioning")?.bool == false)
    let caption = #"{"speaker_id":"bob","text":"hello","language":"en"}"#
    #expect(try http.ask("POST", "call/default/a/closed_captions", caption, as: .server).status == 201)
    #expect(try http.event("call.closed_caption").at("closed_caption.user.id")?.string == "bob")
    #expect(try http.ask("POST", "call/default/a/closed_captions", caption, as: .user("bob")).status == 403)
  }

  @Test
  func `broadcasts have addresses and names`() throws {
    let http = try world()
    let hls = try http.ask("POST", "call/default/a/start_broadcasting")
    let playlist = try #require(hls.body.at("playlist_url")?.string)
    #expect(try http.event("call.hls_broadcasting_started").at("hls_playlist_url")?.string == playlist)
    #expect(try call(http, "egress.hls.playlist_url")?.string == playlist)
    let path = String(playlist.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" })
    #expect(try http.fetch("GET", path, as: .nobody).text.hasPrefix("#EXTM3U"))
    let rtmp = """
      {"broadcasts":[{"name":"tube","stream_url":"rtmps://a.example/live","stream_key":"k"},
      {"name":"face","stream_url":"rtmp://b.example"}]}
      """
    #expect(try http.ask("POST", "call/default/a/rtmp_broadcasts", rtmp).status == 201)
    #expect(http.told().suffix(2) == ["call.rtmp_broadcast_started", "call.rtmp_broadcast_started"])
    #expect(try call(http, "egress.rtmps.1.name")?.string == "face")
    #expect(try call(http, "egress.rtmps.0.stream_key") == nil, "a key is nobody's business")
    #expect(try http.ask("POST", "call/default/a/rtmp_broadcasts/tube/stop").status == 201)
    #expect(try http.ask("POST", "call/default/a/rtmp_broadcasts/tube/stop").status == 404)
    #expect(try http.ask("POST", "call/default/a/stop_broadcasting").status == 201)
    #expect(try call(http, "egress.broadcasting")?.bool == true, "one still goes on")
    #expect(try http.ask("POST", "call/default/a/rtmp_broadcasts/stop").status == 201)
    #expect(try call(http, "egress.broadcasting")?.bool == false)
    #expect(try http.event("call.rtmp_broadcast_stopped").at("name")?.string == "face")
    #expect(try http.fetch("GET", path, as: .nobody).status == 404)
    _ = try http.ask("POST", "call/default/a/start_frame_recording")
    #expect(try call(http, "egress.frame_recording.status")?.string == "running")
    _ = try http.ask("POST", "call/default/a/stop_frame_recording")
    #expect(try http.event("call.frame_recording_stopped").at("call.egress.frame_recording") == nil)
  }

  @Test
  func `recordings end with the session, before its end is announced, and begin with it if the settings say so`() throws
  {
    let auto = #"{"data":{"settings_override":{"recording":{"mode":"auto-on"},"transcription":{"mode":"auto-on"}}}}"#
    let http = try world(auto)
    let connection = try http.connect("bob")
    _ = try http.ask("POST", "call/default/a/join", #"{"location":"FRA"}"#, as: .user("bob"), on: connection)
    let begun = http.told()
    #expect(begun.contains("call.recording_started") && begun.contains("call.transcription_started"))
    let session = try #require(try call(http, "current_session_id")?.string)
    http.disconnect(connection)
    let told = Array(http.told().dropFirst(begun.count)).filter { !$0.contains("participant") }
    #expect(
      told == [
        "call.recording_stopped", "call.recording_ready", "call.transcription_stopped", "call.transcription_ready",
        "call.session_ended",
      ])
    #expect(try http.ask("GET", "call/default/a/recordings").body.at("recordings.0.session_id")?.string == session)
    // JavaScript requests one session's files in this way.
    for name in ["recordings", "transcriptions"] {
      let own = try http.ask("GET", "call/default/a/\(session)/\(name)")
      #expect(own.status == 200 && own.body.at("\(name).0.session_id")?.string == session)
      #expect(try http.ask("GET", "call/default/a/other/\(name)").body.at(name)?.count == 0)
      #expect(try http.ask("GET", "call/default/none/\(session)/\(name)").status == 404)
    }
  }

  @Test
  func `broadcasts start and stop with a livestream as its host says`() throws {
    let http = try StreamCallWorld(listeningTo: ["livestream:a"])
    _ = try http.ask("POST", "call/livestream/a")
    let live = try http.ask(
      "POST", "call/livestream/a/go_live", #"{"start_hls":true,"start_recording":true,"start_transcription":true}"#)
    #expect(live.body.at("call.recording")?.bool == true && live.body.at("call.egress.hls.status")?.string == "running")
    let over = try http.ask("POST", "call/livestream/a/stop_live", #"{"continue_recording":true}"#)
    #expect(over.body.at("call.recording")?.bool == true && over.body.at("call.transcribing")?.bool == false)
    #expect(over.body.at("call.egress.hls") == nil)
    #expect(http.told().contains("call.hls_broadcasting_stopped"))
  }

  @Test(arguments: [
    ("frame_recording", "start_frame_recording", "start-frame-record-call"),
    ("recording", "start_recording", "start-record-call"),
    ("transcription", "start_transcription", "start-transcription-call"),
  ])
  func `recordings are refused if the settings disable them, and are in no user's capabilities`(
    group: String, path: String, capability: String
  ) throws {
    let http = try world(#"{"data":{"settings_override":{"\#(group)":{"mode":"disabled"}}}}"#)
    let refused = try http.ask("POST", "call/default/a/\(path)", as: .server)
    #expect(refused.status == 400 && refused.body.at("code")?.integer == 4)
    #expect(try !http.ask("GET", "call/default/a").body.strings("own_capabilities").contains(capability))
    _ = try http.ask("PATCH", "call/default/a", #"{"settings_override":{"\#(group)":{"mode":"available"}}}"#)
    #expect(try http.ask("POST", "call/default/a/\(path)").status == 201)
    #expect(try http.ask("GET", "call/default/a").body.strings("own_capabilities").contains(capability))
  }

  @Test(arguments: [
    ("recordings/best/start", "{}"), ("start_recording", #"{"recording_external_storage":7}"#),
    ("rtmp_broadcasts", "{}"), ("rtmp_broadcasts", #"{"broadcasts":[{"name":"x","stream_url":"http://x"}]}"#),
    ("rtmp_broadcasts", #"{"broadcasts":[7]}"#), ("closed_captions", "{}"),
    ("start_transcription", #"{"enable_closed_captions":"yes"}"#),
  ])
  func `wrong requests for recordings are refused`(path: String, body: String) throws {
    let http = try world()
    #expect(try http.ask("POST", "call/default/a/\(path)", body, as: .server).body.at("code")?.integer == 4)
    #expect(http.told() == ["call.created"])
  }

  @Test
  func `recordings do not start in an ended call, and their tables are bounded`() throws {
    let http = try StreamCallWorld(limits: StreamCallLimits(calls: 100, past: 3))
    _ = try http.ask("POST", "call/default/a")
    for _ in 0..<5 {
      #expect(try http.ask("POST", "call/default/a/start_recording").status == 201)
      http.advance(by: .seconds(1))
      #expect(try http.ask("POST", "call/default/a/stop_recording").status == 201)
    }
    #expect(try http.ask("GET", "call/default/a/recordings").body.at("recordings")?.count == 3)
    let many = (0..<11).map { #"{"name":"b\#($0)","stream_url":"rtmp://x"}"# }.joined(separator: ",")
    #expect(try http.ask("POST", "call/default/a/rtmp_broadcasts", #"{"broadcasts":[\#(many)]}"#).status == 400)
    _ = try http.ask("POST", "call/default/a/mark_ended")
    #expect(try http.ask("POST", "call/default/a/start_recording").body.at("code")?.integer == 4)
    _ = try http.ask("POST", "call/default/a/delete", as: .server)
    _ = try http.ask("POST", "call/default/a")
    #expect(try http.ask("GET", "call/default/a/recordings").body.at("recordings")?.count == 0)
  }
}

/// An operator's orders on the control port.
@Suite(.onNodes)
struct EgressFailureTests {
  private let http: StreamCallWorld

  init() throws {
    http = try StreamCallWorld()
    let settings = #"{"data":{"settings_override":{"frame_recording":{"mode":"available"}}}}"#
    _ = try http.ask("POST", "call/default/a", settings)
  }

  private func order(_ path: String, _ body: String = "") throws -> HTTPResponse {
    let request = HTTPRequest(
      method: "POST", path: path, headers: [HTTPField("content-type", "application/json")], body: Array(body.utf8))
    return try #require(try http.stream.space.fetch(request, from: .control)?.get())
  }

  @Test(arguments: [
    ("recording", "start_recording", "recording", "egress_id recording_type"),
    ("transcription", "start_transcription", "transcription", "egress_id"),
    ("closed_captions", "start_closed_captions", "closed_captions", "call_cid"),
    ("hls_broadcasting", "start_broadcasting", "hls_broadcasting", "call_cid"),
    ("frame_recording", "start_frame_recording", "frame_recording", "egress_id call"),
  ])
  func `a failed recording is announced to watchers, leaves nothing, and may start again`(
    what: String, start: String, event: String, members: String
  ) throws {
    let body = #"{"what":"\#(what)"}"#
    #expect(try order("/stream/calls/default/a/fail", body).status == 404, "it is not on")
    #expect(try http.ask("POST", "call/default/a/\(start)").status == 201)
    #expect(try order("/stream/calls/default/a/fail", body).status == 200)
    let told = try http.event("call.\(event)_failed")
    for member in members.split(separator: " ") { #expect(told.at(String(member)) != nil) }
    #expect(!http.told().contains("call.\(event)_stopped") && !http.told().contains("call.\(event)_ready"))
    #expect(try http.ask("GET", "call/default/a/recordings").body.at("recordings")?.count == 0)
    #expect(try http.ask("POST", "call/default/a/\(start)").status == 201)
    #expect(try http.ask("POST", "call/default/a/mark_ended").status == 201)
    #expect(try http.ask("GET", "call/default/a").body.at("call.recording")?.bool == false)
  }

  @Test
  func `a broadcast may fail while others continue`() throws {
    let wish = #"{"broadcasts":[{"name":"a","stream_url":"rtmp://x/y"},{"name":"b","stream_url":"rtmp://x/z"}]}"#
    #expect(try http.ask("POST", "call/default/a/rtmp_broadcasts", wish).status == 201)
    let body = #"{"what":"rtmp_broadcast","name":"a"}"#
    #expect(try order("/stream/calls/default/a/fail", body).status == 200)
    #expect(try http.event("call.rtmp_broadcast_failed").at("name")?.string == "a")
    #expect(try http.ask("POST", "call/default/a/rtmp_broadcasts/b/stop").status == 201)
    #expect(try http.event("call.rtmp_broadcast_stopped").at("name")?.string == "b")
    #expect(try order("/stream/calls/default/a/fail", body).status == 404)
    for wrong in ["{}", #"{"what":"rtmp_broadcast"}"#, #"{"what":"sound"}"#] {
      #expect(try order("/stream/calls/default/a/fail", wrong).status == 400)
    }
  }

  @Test
  func `a ready frame is not a failure, and shows who is in the call`() throws {
    #expect(try order("/stream/calls/default/a/frame").status == 404)
    #expect(try order("/stream/calls/default/none/frame").status == 404)
    _ = try http.ask("POST", "call/default/a/join", #"{"location":"FRA"}"#, on: http.connect("ann"))
    #expect(try http.ask("POST", "call/default/a/start_frame_recording").status == 201)
    #expect(try order("/stream/calls/default/a/frame").status == 200)
    let event = try http.event("call.frame_recording_ready")
    #expect(event.at("users.ann.online")?.bool == true && event.at("track_type") != nil && event.at("url") != nil)
    #expect(event.at("captured_at")?.string != nil && event.at("session_id")?.string?.isEmpty == false)
  }
}

extension JSONView {
  func strings(_ path: String) -> [String] { at(path)?.elements?.compactMap(\.string) ?? [] }
}
