internal import GatewayCore

/// A user's access token as the store has it, which servers may ask for: `a94a8fe5…`. It prints as little as credentials do.
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
