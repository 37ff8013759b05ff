package import GatewayCore
package import GatewayRuntime
package import GatewayTokens

/// The issuer whose tokens the gateway takes, and where its keys are.
package struct IssuerSettings: Hashable, Sendable {
  package enum Place: Hashable, Sendable {
    case keys(EndpointAddress)
    /// The issuer's discovery document says where.
    case discovery
    /// The configuration of a transmitter of security events says where.
    case transmitter
  }

  /// The name in metrics and in the log.
  package let name: String
  package let place: Place
  /// The policy for its tokens; it names the issuer.
  package let policy: TokenPolicy
  /// The authorities that sign the certificates of its servers, and our own certificate; nil for the system's authorities.
  package var tls: TLSIdentity?
  /// Our names at the issuer, one of which a logout token must have as audience; empty if no logout tokens are
  /// accepted.
  package var logoutAudiences: [Name] = []

  /// The names of its users.
  package var users = UserNames()
  /// The algorithms that its keys are used with, among ``allAlgorithms``.
  package var algorithms = allAlgorithms

  /// The algorithms that fetched keys may be used with. An HMAC is never among them.
  package static let allAlgorithms = AlgorithmSet([.rs256, .ps256, .es256, .es384, .eddsa])

  /// Creates settings. Throws if the issuer is not an address from which a discovery document could be fetched.
  ///
  /// - Precondition: `policy` names an issuer.
  package init(name: String, _ place: Place, policy: TokenPolicy) throws(EndpointFault) {
    guard let issuer = policy.issuer else { preconditionFailure("an issuer without a name") }
    self.name = name
    self.place = place
    self.policy = policy
    self.issuer = issuer
    guard let kind = discovery else { return }
    guard !issuer.text.utf8.contains(UInt8(ascii: "?")) else { throw .noAddress }
    _ = try EndpointAddress(issuer.text)
    _ = try kind.addresses(of: issuer.text)
  }

  /// Whether `sub` names a user, as far as signals go, which have no other claim of a token.
  var namesUsersBySub: Bool { users.claim.map { Name($0) == Name("sub") } ?? true }

  /// The place of the keys, as text.
  package var placeText: String {
    switch place {
    case .keys(let address): address.text
    case .discovery: "discovery"
    case .transmitter: "transmitter"
    }
  }

  /// The document that says where the keys are; nil if their address is known.
  var discovery: DiscoveryDocument.Kind? {
    switch place {
    case .keys: nil
    case .discovery: .login
    case .transmitter: .transmitter
    }
  }

  /// The value of `iss` in its tokens.
  let issuer: Name
}
