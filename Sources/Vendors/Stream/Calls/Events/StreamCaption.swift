internal import GatewayCore
internal import GatewayJSON

/// A caption: a text that a participant spoke.
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

  /// Writes the members that only a `ClosedCaptionEvent` has.
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
  /// Writes the members that only a `CallUserFeedbackSubmittedEvent` has.
  func writeEvent(by user: StreamUser, to json: inout JSONWriter, _ family: StreamFamily) {
    json.member("session_id", session)
    json.member("user", user, family)
    writeOpinion(to: &json)
  }

  /// Writes the rating and its details.
  func writeOpinion(to json: inout JSONWriter) {
    json.member("rating", Int64(rating))
    if let reason { json.member("reason", reason) }
    json.member("sdk", sdk)
    json.member("sdk_version", sdkVersion)
    json.member("custom", custom: custom)
  }
}
