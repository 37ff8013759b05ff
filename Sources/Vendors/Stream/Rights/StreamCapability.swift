/// A capability of a user in a call, e.g. `join-call`. The API description's `OwnCapability` lists most of them; others
/// occur only in grants.
enum StreamCapability: String, Hashable, Sendable, CaseIterable {
  case blockUsers = "block-users"
  case changeMaxDuration = "change-max-duration"
  case createCall = "create-call"
  case createReaction = "create-reaction"
  case deleteCall = "delete-call"
  case deleteRecording = "delete-recording"
  case enableNoiseCancellation = "enable-noise-cancellation"
  case endCall = "end-call"
  case joinBackstage = "join-backstage"
  case joinCall = "join-call"
  case joinEndedCall = "join-ended-call"
  case kickUser = "kick-user"
  case listRecordings = "list-recordings"
  case muteUsers = "mute-users"
  case pinForEveryone = "pin-for-everyone"
  case readCall = "read-call"
  case removeCallMember = "remove-call-member"
  case screenshare
  case sendAudio = "send-audio"
  case sendClosedCaptionsCall = "send-closed-captions-call"
  case sendEvent = "send-event"
  case sendVideo = "send-video"
  case startBroadcastCall = "start-broadcast-call"
  case startClosedCaptionsCall = "start-closed-captions-call"
  case startFrameRecordCall = "start-frame-record-call"
  case startIndividualRecordCall = "start-individual-record-call"
  case startRawRecordCall = "start-raw-record-call"
  case startRecordCall = "start-record-call"
  case startTranscriptionCall = "start-transcription-call"
  case stopBroadcastCall = "stop-broadcast-call"
  case stopClosedCaptionsCall = "stop-closed-captions-call"
  case stopFrameRecordCall = "stop-frame-record-call"
  case stopIndividualRecordCall = "stop-individual-record-call"
  case stopRawRecordCall = "stop-raw-record-call"
  case stopRecordCall = "stop-record-call"
  case stopTranscriptionCall = "stop-transcription-call"
  case updateCall = "update-call"
  case updateCallMember = "update-call-member"
  case updateCallMemberRole = "update-call-member-role"
  case updateCallPermissions = "update-call-permissions"
  case updateCallSettings = "update-call-settings"

  /// Capabilities of grants that are not in `own_capabilities`, because clients do not know these names.
  private static let unlisted: Set<StreamCapability> = [
    .deleteCall, .deleteRecording, .listRecordings, .sendEvent, .updateCallMemberRole,
  ]

  /// The capabilities of `OwnCapability`.
  static let listed = Set(allCases).subtracting(unlisted)

  /// The name in refusals: `JoinCall` for `join-call`.
  var action: String {
    rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
