internal import GatewayCore

// Starting and stopping recordings, transcriptions and broadcasts.

extension StreamCall {
  /// Changes the call's egress.
  mutating func changeEgress<Answer>(_ change: (inout StreamEgress) -> Answer) -> Answer {
    var egress = egress ?? StreamEgress()
    let answer = change(&egress)
    if egress != self.egress ?? StreamEgress() { self.egress = egress }
    return answer
  }

  /// Starts what the settings start automatically with a session.
  mutating func startAutomatically(in session: String, at now: WallTime) {
    let settings = StreamCallSettings(of: self)
    for kind in StreamEgress.Kind.allCases {
      let isAutomatic =
        kind == .hls
        ? settings.flag("broadcasting.hls.auto_on") && settings.allows(kind) && !isBackstage
        : settings.choice(kind.modePath) == "auto-on"
      if isAutomatic { changeEgress { $0.start(kind, in: session, from: StreamEgress.addressUnknown, at: now) } }
    }
  }
}

extension StreamEgress {
  /// The gateway's address when no HTTP request has shown it.
  static let addressUnknown = "http://localhost"
}

extension StreamEgress.Kind {
  /// The path of the setting that allows it.
  var modePath: String {
    switch self {
    case .composite: "recording.mode"
    case .individual: "individual_recording.mode"
    case .raw: "raw_recording.mode"
    case .transcription: "transcription.mode"
    case .captions: "transcription.closed_caption_mode"
    case .hls: "broadcasting.hls.enabled"
    case .frames: "frame_recording.mode"
    }
  }

  var starting: StreamCapability {
    switch self {
    case .composite: .startRecordCall
    case .individual: .startIndividualRecordCall
    case .raw: .startRawRecordCall
    case .transcription: .startTranscriptionCall
    case .captions: .startClosedCaptionsCall
    case .hls: .startBroadcastCall
    case .frames: .startFrameRecordCall
    }
  }

  var stopping: StreamCapability {
    switch self {
    case .composite: .stopRecordCall
    case .individual: .stopIndividualRecordCall
    case .raw: .stopRawRecordCall
    case .transcription: .stopTranscriptionCall
    case .captions: .stopClosedCaptionsCall
    case .hls: .stopBroadcastCall
    case .frames: .stopFrameRecordCall
    }
  }
}

extension StreamCallSettings {
  /// Returns whether calls with these settings allow it.
  func allows(_ kind: StreamEgress.Kind) -> Bool {
    switch kind {
    case .hls: flag("broadcasting.enabled") && flag(kind.modePath)
    default: choice(kind.modePath) != "disabled"
    }
  }

  var allowsBroadcasts: Bool { flag("broadcasting.enabled") && flag("broadcasting.rtmp.enabled") }

  /// The capabilities that the settings remove from all users.
  var withheld: Set<StreamCapability> {
    var withheld: Set<StreamCapability> = []
    for kind in StreamEgress.Kind.allCases where !allows(kind) && !(kind == .hls && allowsBroadcasts) {
      withheld.formUnion([kind.starting, kind.stopping])
    }
    return withheld
  }
}
