internal import GatewayCore
internal import GatewayJSON

/// A caption: that bob said `hello` in a call, for instance.
struct StreamCaption: Hashable, Sendable {
  let id: String
  let user: UserID
  let speaker: String
  let text: String
  let language: String
  let service: String?
  let isTranslated: Bool
  let startedAt: WallTime
  let endedAt: WallTime

  /// The members of a `ClosedCaptionEvent` that others do not have.
  func write(by user: StreamUser, to json: inout JSONWriter, _ family: StreamFamily) {
    json.member("closed_caption") { json in
      json.member("id", id)
      json.member("speaker_id", speaker)
      json.member("text", text)
      json.member("language", language)
      json.member("translated", isTranslated)
      if let service { json.member("service", service) }
      json.member("start_time", startedAt, family.dates)
      json.member("end_time", endedAt, family.dates)
      json.member("user", user, family)
    }
  }
}

extension StreamFeedback {
  /// The members of a `CallUserFeedbackSubmittedEvent` that others do not have.
  func writeEvent(by user: StreamUser, to json: inout JSONWriter, _ family: StreamFamily) {
    json.member("session_id", session)
    json.member("user", user, family)
    writeOpinion(to: &json)
  }

  /// The rating, and what goes with it.
  func writeOpinion(to json: inout JSONWriter) {
    json.member("rating", Int64(rating))
    if let reason { json.member("reason", reason) }
    json.member("sdk", sdk)
    json.member("sdk_version", sdkVersion)
    json.member("custom", custom: custom)
  }
}
