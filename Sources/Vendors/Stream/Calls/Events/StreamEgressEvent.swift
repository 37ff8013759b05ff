internal import GatewayCore
internal import GatewayJSON

/// An event about a call's recordings, transcriptions or broadcasts, e.g. `call.recording_started`.
enum StreamEgressEvent: Hashable, Sendable {
  case started(StreamEgress.Kind, StreamEgress.Run)
  case stopped(StreamEgress.Kind, StreamEgress.Run)
  case failed(StreamEgress.Kind, StreamEgress.Run)
  case ready(StreamCallFile)
  case broadcastStarted(String)
  case broadcastStopped(String)
  case broadcastFailed(String)

  /// The value of `type`.
  var type: String {
    switch self {
    case .started(let kind, _): "call.\(Self.name(kind))_started"
    case .stopped(let kind, _): "call.\(Self.name(kind))_stopped"
    case .failed(let kind, _): "call.\(Self.name(kind))_failed"
    case .ready(let file): "call.\(Self.name(file.kind))_ready"
    case .broadcastStarted: "call.rtmp_broadcast_started"
    case .broadcastStopped: "call.rtmp_broadcast_stopped"
    case .broadcastFailed: "call.rtmp_broadcast_failed"
    }
  }

  private static func name(_ kind: StreamEgress.Kind) -> String {
    switch kind {
    case .composite, .individual, .raw: "recording"
    case .transcription: "transcription"
    case .captions: "closed_captions"
    case .hls: "hls_broadcasting"
    case .frames: "frame_recording"
    }
  }

  /// Whether the event contains the whole call.
  var showsCall: Bool {
    switch self {
    case .started(.hls, _), .started(.frames, _), .stopped(.frames, _), .failed(.frames, _): true
    default: false
    }
  }

  func write(of call: CallID, to json: inout JSONWriter, _ family: StreamFamily) {
    switch self {
    case .started(.hls, let run):
      json.member("hls_playlist_url", run.playlist(of: call))
    case .started(let kind, let run), .stopped(let kind, let run), .failed(let kind, let run):
      guard kind != .captions && kind != .hls else { return }
      json.member("egress_id", run.id)
      if kind.isRecording { json.member("recording_type", kind.rawValue) }
    case .ready(let file):
      json.member("egress_id", file.run.id)
      if file.kind.isRecording { json.member("recording_type", file.kind.rawValue) }
      json.name(file.kind.isRecording ? "call_recording" : "call_transcription")
      file.write(of: call, at: file.run.address, to: &json, family)
    case .broadcastStarted(let name), .broadcastStopped(let name), .broadcastFailed(let name):
      json.member("name", name)
    }
  }
}

extension StreamEgress.Run {
  /// Returns the URL at which the broadcast can be watched, if it is an HLS broadcast.
  func playlist(of call: CallID) -> String { "\(address)/video/files/\(call.type)/\(call.id)/hls/\(id).m3u8" }
}

extension StreamCallFile {
  /// Writes a `CallRecording` or `CallTranscription`.
  func write(of call: CallID, at address: String, to json: inout JSONWriter, _ family: StreamFamily) {
    json.beginObject()
    json.member("filename", name)
    json.member("url", address + path(of: call))
    json.member("session_id", run.session)
    json.member("start_time", run.startedAt, family.dates)
    json.member("end_time", endedAt, family.dates)
    if kind.isRecording { json.member("recording_type", kind.rawValue) }
    json.endObject()
  }
}

extension StreamEgress {
  /// Writes the object `EgressResponse`.
  func write(of call: CallID, to json: inout JSONWriter, _ family: StreamFamily) {
    json.beginObject()
    json.name("broadcasting")
    json.bool(runs[.hls] != nil || !broadcasts.isEmpty)
    json.member("rtmps", objects: broadcasts) { broadcast, json in
      json.member("name", broadcast.name)
      json.member("stream_url", broadcast.url)
      json.member("started_at", broadcast.startedAt, family.dates)
    }
    if let run = runs[.hls] {
      json.member("hls") { json in
        json.member("playlist_url", run.playlist(of: call))
        json.member("status", "running")
      }
    }
    for (kind, name) in Self.shown where runs[kind] != nil {
      json.name(name)
      json.raw(#"{"status":"running"}"#)
    }
    json.endObject()
  }

  private static let shown: [(Kind, String)] = [
    (.composite, "composite_recording"), (.individual, "individual_recording"), (.raw, "raw_recording"),
    (.frames, "frame_recording"),
  ]
}

extension StreamCallChange {
  /// Returns the events for what the change has stopped, with the files that are left.
  func stopped(at now: WallTime) -> [StreamCallEvent.Kind] {
    var happenings: [StreamEgressEvent] = []
    for (kind, run) in StreamEgress.stopped(from: before, to: after) {
      guard after.egress?.hasFailed(kind) != true else {
        happenings.append(.failed(kind, run))
        continue
      }
      happenings.append(.stopped(kind, run))
      if let file = StreamCallFile(kind, run, of: after.id, until: now) { happenings.append(.ready(file)) }
    }
    happenings += Self.broadcasts(in: before, notIn: after).map { name in
      after.egress?.hasFailed(name) == true ? .broadcastFailed(name) : .broadcastStopped(name)
    }
    return happenings.map { .egress($0) }
  }

  /// The events for what the change has started.
  var started: [StreamCallEvent.Kind] {
    var happenings: [StreamEgressEvent] = []
    for (kind, run) in StreamEgress.started(from: before, to: after) { happenings.append(.started(kind, run)) }
    happenings += Self.broadcasts(in: after, notIn: before).map { .broadcastStarted($0) }
    return happenings.map { .egress($0) }
  }

  private static func broadcasts(in one: StreamCall, notIn other: StreamCall) -> [String] {
    let known = Set(other.egress?.broadcasts ?? [])
    return (one.egress?.broadcasts ?? []).filter { !known.contains($0) }.map(\.name)
  }
}
