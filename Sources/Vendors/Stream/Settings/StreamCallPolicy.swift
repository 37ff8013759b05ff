/// The behaviour of the coordinator's calls where Stream leaves it to the place the gateway stands at: how long
/// anonymous users stay, for instance.
package struct StreamCallPolicy: Hashable, Sendable {
  /// How the gateway stands in for the SFU; nil to send clients elsewhere.
  package var sfu: StreamSFUPolicy? = StreamSFUPolicy()
  /// Where clients are sent then for audio and video. Nobody listens there by default.
  package var sfuURL = "http://127.0.0.1:9/twirp"
  package var sfuSocket = "ws://127.0.0.1:9/ws"
  package var edgeName = "postern"
  /// What `X-Amz-Cf-Pop` says; clients take the first three letters as their location.
  package var pointOfPresence = "FRA56-P8"
  /// How long somebody anonymous counts as present: nobody hears of their leaving.
  package var anonymousStay: Duration = .seconds(3600)
  /// The types that calls may be made of; nil for any. One that is not built in has the settings and rights of `default`.
  package var types: Set<String>? = builtInTypes
  /// Whether users whom a call names and nobody has heard of are made; else the call is refused.
  package var makesUnknownUsers = true

  /// The types that every application of Stream's has.
  package static let builtInTypes: Set<String> = ["audio_room", "default", "development", "livestream"]

  package init() {}
}
