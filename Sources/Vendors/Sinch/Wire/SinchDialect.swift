internal import GatewayCore
internal import GatewayKit

/// The wire of Sinch's current generation, which the vendor does not publish, as Postern defines it.
/// `Deploy/api/sinch-asyncapi.yaml` describes it.
struct SinchDialect: Dialect {
  /// The path of the upgrade request, which an instance signs when it starts.
  static let path = "/sinch/v1/connect"
  /// The prefixes of the HTTP API's paths.
  static let paths = [
    "/sinch/", "/V2/Instance", "/timestamp", "/instance", "/instances/", "/configuration/user", "/user/profile",
    "/users/username/", "/ocra/", "/subscribe/", "/v2/presence/", "/time/",
  ]

  static let name = "sinch"

  var name: String { Self.name }
  let errors: SinchErrorWords

  init(_ settings: SinchSettings) {
    errors = SinchErrorWords(explains: settings.explains)
  }

  var socketPath: String? { Self.path }

  func accepts(_ upgrade: HTTPRequest) -> Bool {
    upgrade.path == Self.path
  }

  func owns(path: String) -> Bool {
    Self.paths.contains { path.hasPrefix($0) }
  }

  // A legacy signature and a ticket are credentials too.
  private static let redaction = JSONRedaction(["signature", "ticket"])

  func redacted(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, isUnderstood: Bool) -> String? {
    kind == .text ? Self.redaction.text(payload, isUnderstood: isUnderstood) : nil
  }

  /// Returns nil: the message `start` contains the credentials.
  func credentials(in upgrade: HTTPRequest) throws(GatewayError) -> Credentials? { nil }

  func response(for error: GatewayError) -> HTTPResponse {
    errors.response(error)
  }
}
