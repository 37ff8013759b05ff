import GatewayCore
import GatewayIdentity
import GatewayKit
import GatewayRuntime
import GatewayTokens

/// The flags of `postern serve` for opaque tokens of the application's own login.
struct IntrospectionDraft: Sendable {
  private var endpoint: Arguments.Value?
  private var client: String?
  private var secret: String?
  private var cacheLife: Duration?
  private var recheck: Duration?
  private var user: UserMember?

  /// The members of an answer that may name the user (RFC 7662 section 2.2).
  private enum UserMember: String, CaseIterable, Sendable {
    case sub, username
  }

  @OptionList<IntrospectionDraft>
  static var options: [Option<IntrospectionDraft>] {
    Option(
      "introspection", "URL",
      "the introspection endpoint (RFC 7662) that is asked about opaque tokens, which the plain scheme takes then",
      \.endpoint, .asGiven)
    Option("introspection-client", "CLIENT_ID", "the client that the endpoint knows the gateway by (HTTP Basic)") {
      value, draft in draft.client = value.text
    }
    Option("introspection-secret-file", "FILE", "the secret of that client", \.secret, .secret)
    Option(
      "introspection-cache", "DURATION", "how long the answer that a token is active is used (default 30s, at most 1h)",
      \.cacheLife,
      Reading<Duration>.duration.map { duration, name in
        guard (Duration.zero...Duration.seconds(3_600)).contains(duration) else {
          throw UsageError("--\(name)", value: "\(duration)", expected: "0s to 1h")
        }
        return duration
      })
    Option(
      "introspection-recheck", "DURATION",
      "ask about the tokens of open sessions again, each about so often (default: never; 1s or more)", \.recheck,
      .secondOrMore)
    Option(
      "introspection-user", "sub|username", "the member of the answer that names the user (default: user_id or sub)",
      \.user, .choice)
  }

  /// Whether the endpoint is given.
  var isOn: Bool { endpoint != nil }

  /// Returns the judge that the flags name; nil if they name none.
  ///
  /// - Parameters:
  ///   - policy: The policy for its active tokens.
  ///   - tls: The files for TLS; nil for the system's.
  ///   - verifier: Checks that.
  func introspector(_ policy: TokenPolicy, tls: TLSIdentity?, verifier: JWTVerifier) throws -> Introspector? {
    guard let endpoint else {
      guard client == nil, secret == nil, cacheLife == nil, recheck == nil, user == nil else {
        throw UsageError("the flags --introspection-… are for --introspection; give it")
      }
      return nil
    }
    guard (client == nil) == (secret == nil) else {
      throw UsageError("--introspection-client and --introspection-secret-file are given together, or neither")
    }
    do throws(EndpointFault) {
      var settings = IntrospectionSettings(try EndpointAddress(endpoint.text), policy: policy)
      if let client, let secret { settings.client = IntrospectionSettings.Client(id: client, secret: secret) }
      settings.tls = tls
      settings.userMember = user?.rawValue
      settings.recheck = recheck
      if let cacheLife { settings.cacheLife = cacheLife }
      return Introspector(settings, verifier: verifier)
    } catch {
      throw UsageError("\(endpoint.source) \(endpoint.text): \(error)")
    }
  }
}
