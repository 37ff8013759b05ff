/// The settings of the coordinator's calls that Stream leaves to the deployment.
struct StreamCallPolicy: Hashable, Sendable {
  /// The settings of the gateway's own SFU; nil for an external SFU.
  var sfu: StreamSFUPolicy? = StreamSFUPolicy()
  /// The URL of the external SFU. By default nothing listens there.
  var sfuURL = "http://127.0.0.1:9/twirp"
  var sfuSocket = "ws://127.0.0.1:9/ws"
  var edgeName = "postern"
  /// The value of `X-Amz-Cf-Pop`; clients use the first three letters as their location.
  var pointOfPresence = "FRA56-P8"
  /// How long an anonymous participant counts as present, since their leaving is not announced.
  var anonymousStay: Duration = .seconds(3600)
  /// The allowed call types; nil for any. A type that is not built in has the settings and rights of `default`.
  var types: Set<String>? = builtInTypes
  /// Whether unknown users that a call names are created; else the call is refused.
  var makesUnknownUsers = true

  /// The call types that every Stream application has.
  static let builtInTypes: Set<String> = ["audio_room", "default", "development", "livestream"]
}
