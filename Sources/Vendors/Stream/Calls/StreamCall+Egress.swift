internal import GatewayCore

// Recordings, transcriptions and broadcasts: what puts them on and off.

extension StreamCall {
  /// Changes what is taken out of the call.
  mutating func changeEgress<Answer>(_ change: (inout StreamEgress) -> Answer) -> Answer {
    var egress = egress ?? StreamEgress()
    let answer = change(&egress)
    if egress != self.egress ?? StreamEgress() { self.egress = egress }
    return answer
  }

  /// Puts on what the settings have begin by itself with a session.
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
  /// Where nobody asked over HTTP, nobody has said by which address the gateway is reached.
  static let addressUnknown = "http://localhost"
}

extension StreamEgress.Kind {
  /// The setting that says whether there may be any.
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
  /// Whether calls of these settings may have it.
  func allows(_ kind: StreamEgress.Kind) -> Bool {
    switch kind {
    case .hls: flag("broadcasting.enabled") && flag(kind.modePath)
    default: choice(kind.modePath) != "disabled"
    }
  }

  var allowsBroadcasts: Bool { flag("broadcasting.enabled") && flag("broadcasting.rtmp.enabled") }

  /// What nobody may do in such calls.
  var withheld: Set<StreamCapability> {
    var withheld: Set<StreamCapability> = []
    for kind in StreamEgress.Kind.allCases where !allows(kind) && !(kind == .hls && allowsBroadcasts) {
      withheld.formUnion([kind.starting, kind.stopping])
    }
    return withheld
  }
}
