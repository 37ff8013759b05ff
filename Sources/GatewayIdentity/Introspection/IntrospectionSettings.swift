internal import GatewayCore
package import GatewayRuntime
package import GatewayTokens

/// The server that is asked about opaque tokens (RFC 7662), and how.
package struct IntrospectionSettings: Sendable {
  /// The name in metrics and in the log.
  package static let name = "introspection"

  package let address: EndpointAddress
  /// The name and the secret that it knows the gateway by; nil if it asks for none.
  package var client: Client?
  /// The authorities that sign its certificate, and our own certificate; nil for the system's authorities.
  package var tls: TLSIdentity?
  /// The policy for an active token, where the server says the member.
  package var policy: TokenPolicy
  /// How long an answer that a token is active may be used.
  package var cacheLife = Duration.seconds(30)
  /// How often the tokens of open sessions are asked about again; nil for never.
  package var recheck: Duration?
  /// The member of the answer that names the user; nil for `user_id` or `sub`.
  package var userMember: String?

  /// A client of the server, by HTTP Basic.
  package struct Client: Sendable {
    package let id: String
    package let secret: String

    package init(id: String, secret: String) {
      self.id = id
      self.secret = secret
    }

    /// The value of `Authorization` (RFC 6749 section 2.3.1).
    var authorization: String {
      "Basic " + Base64.encode(Array("\(PercentEncoding.encode(id)):\(PercentEncoding.encode(secret))".utf8))
    }
  }

  package init(_ address: EndpointAddress, policy: TokenPolicy) {
    self.address = address
    self.policy = policy
  }
}
