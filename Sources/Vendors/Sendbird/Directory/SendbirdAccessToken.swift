internal import GatewayCore

/// A user's access token in the store, from which servers can read it. Like `Credentials` it is redacted when printed.
struct SendbirdAccessToken: Hashable, Codable, Sendable {
  let credentials: Credentials

  init(_ credentials: Credentials) {
    self.credentials = credentials
  }

  init(from decoder: any Decoder) throws {
    credentials = Credentials(token: try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(credentials.token)
  }
}
