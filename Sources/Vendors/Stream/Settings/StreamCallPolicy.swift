/// The settings of the coordinator's calls that Stream leaves to the deployment.
package struct StreamCallPolicy: Hashable, Sendable {
  /// The settings of the gateway's own SFU; nil for an external SFU.
  package var sfu: StreamSFUPolicy? = StreamSFUPolicy()
  /// The URL of the external SFU. By default nothing listens there.
  package var sfuURL = "http://127.0.0.1:9/twirp"
  package var sfuSocket = "ws://127.0.0.1:9/ws"
  package var edgeName = "postern"
  /// The value of `X-Amz-Cf-Pop`; clients use the first three letters as their location.
  package var pointOfPresence = "FRA56-P8"
  /// How long an anonymous participant counts as present, since their leaving is not announced.
  package var anonymousStay: Duration = .seconds(3600)
  /// The allowed call types; nil for any. A type that is not built in has the settings and rights of `default`.
  package var types: Set<String>? = builtInTypes
  /// Whether unknown users that a call names are created; else the call is refused.
  package var makesUnknownUsers = true

  /// The call types that every Stream application has.
  package static let builtInTypes: Set<String> = ["audio_room", "default", "development", "livestream"]

  package init() {}
}
