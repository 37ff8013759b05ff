import GatewayCore
import GatewayJSON
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayStream

@Suite(.onNodes)
struct JoinReplyTests {
  /// The members that the Swift SDK's decoder or the API description requires.
  static let required: [String] = {
    let top = "call created credentials duration members own_capabilities stats_options"
    let user = "id role language teams custom created_at updated_at blocked_user_ids"
    let call = """
      type id cid current_session_id created_by custom created_at updated_at recording transcribing captioning backstage \
      blocked_user_ids settings ingress egress translating ingress.rtmp.address ingress.whip.address \
      ingress.srt.address egress.broadcasting egress.rtmps
      """
    let settings = """
      audio.access_request_enabled audio.opus_dtx_enabled audio.redundant_coding_enabled audio.mic_default_on \
      audio.speaker_default_on audio.default_device audio.hifi_audio_enabled video.enabled \
      video.access_request_enabled video.camera_default_on video.camera_facing video.target_resolution.width \
      video.target_resolution.height backstage.enabled screensharing.enabled screensharing.access_request_enabled \
      thumbnails.enabled geofencing.names session.inactivity_timeout_seconds limits \
      limits.max_participants_exclude_roles ring.incoming_call_timeout_ms ring.auto_cancel_timeout_ms \
      ring.missed_call_timeout_ms recording.audio_only recording.mode recording.quality individual_recording.mode \
      raw_recording.mode frame_recording.mode frame_recording.capture_interval_in_seconds encryption.mode \
      broadcasting.enabled broadcasting.hls.auto_on broadcasting.hls.enabled broadcasting.hls.quality_tracks \
      broadcasting.rtmp.enabled broadcasting.rtmp.quality transcription.mode transcription.closed_caption_mode \
      transcription.language
      """
    let session = """
      id participants participants_count_by_role anonymous_participant_count accepted_by rejected_by missed_by
      """
    let other = """
      credentials.token credentials.server.edge_name credentials.server.url credentials.server.ws_endpoint \
      credentials.ice_servers.0.urls.0 credentials.ice_servers.0.username credentials.ice_servers.0.password \
      stats_options.reporting_interval_ms stats_options.enable_rtc_stats
      """
    func below(_ path: String, _ names: String) -> [String] { names.split(separator: " ").map { path + $0 } }
    return below("", top) + below("", other) + below("call.", call) + below("call.settings.", settings)
      + below("call.session.", session) + below("call.created_by.", user)
      + below("members.0.", "user user_id custom created_at updated_at") + below("members.0.user.", user)
      + below("call.session.participants.0.", "user user_session_id role joined_at")
      + below("membership.", "user user_id custom created_at updated_at role")
  }()

  static let dates = [
    "call.created_at", "call.updated_at", "call.starts_at", "call.session.started_at", "call.created_by.created_at",
    "call.created_by.updated_at", "members.0.created_at", "members.0.updated_at", "members.0.user.created_at",
    "call.session.participants.0.joined_at", "call.session.accepted_by.ann",
  ]

  private static let data = """
    {"location":"FRA","create":true,"data":{"starts_at":"2027-01-15T09:30:00+01:00",
    "members":[{"user_id":"ann","role":"host","custom":{"seat":1}},{"user_id":"bob"}]}}
    """

  private func reply(v2: Bool, type: String = "default") throws -> (http: StreamCallWorld, body: JSONView) {
    var policy = StreamCallPolicy()
    policy.types?.insert(type)
    let http = try StreamCallWorld(policy: policy)
    _ = try http.ask("POST", "call/\(type)/a", #"{"data":{"members":[{"user_id":"ann"}]}}"#)
    _ = try http.ask("POST", "call/\(type)/a/delete", as: .server)
    _ = try http.ask("POST", "call/\(type)/a", Self.body(Self.data), v2: v2)
    _ = try http.ask("POST", "call/\(type)/a/accept", v2: v2)
    let connection = try http.connect("ann")
    let answer = try http.ask("POST", "call/\(type)/a/join", Self.data, on: connection, v2: v2)
    #expect(answer.status == 201)
    return (http, answer.body)
  }

  /// Returns the `data` of a join as the body of a get-or-create.
  private static func body(_ join: String) -> String { join }

  @Test(arguments: [false, true], ["default", "livestream", "own"])
  func `a join's reply has every field that the strictest decoder needs, in both families and all call types`(
    v2: Bool, type: String
  ) throws {
    let body = try reply(v2: v2, type: type).body
    let missing = Self.required.filter { path in body.at(path).map(\.isNull) ?? true }
    #expect(missing == [])
    #expect(Self.required.count > 100)
    #expect(body.at("call.settings.audio.default_device")?.string == (type == "livestream" ? "speaker" : "earpiece"))
  }

  @Test
  func `a join's reply has RFC 3339 dates below /video/, and whole nanoseconds below /api/v2/`() throws {
    let text = try reply(v2: false).body
    let number = try reply(v2: true).body
    for path in Self.dates {
      let written = try #require(text.at(path)?.string, "\(path)")
      let nanoseconds = try #require(number.at(path)?.integer, "\(path)")
      #expect(StreamDates.read(written)?.nanoseconds == nanoseconds, "\(path)")
    }
    #expect(number.at("call.starts_at")?.integer == 1_800_001_800_000_000_000)
  }

  @Test
  func `a session's token is refused by the gateway itself`() throws {
    let token = try #require(try reply(v2: false).body.at("credentials.token")?.string)
    #expect(AccessToken.isOne(token) && token.split(separator: ".").count == 1)
  }
}
