package import GatewayCore
internal import GatewayJSON
package import GatewayKit
package import GatewayTokens

/// The issuers of the application's logins, whose keys one verifier has beside the gateway's own.
///
/// A token whose key is here is verified without any of this. The list can be replaced while tokens are verified.
package final class LoginIssuers: IssuerKeys {
  /// The most issuers.
  package static let countMax = 16

  package let verifier: JWTVerifier
  /// Whether the list comes from a file that is read anew on a reload.
  package let mayChange: Bool
  private let list: Replaceable<List>
  private let prefixes: Replaceable<UserPrefixes>

  private final class List: Sendable {
    let issuers: [FetchedIssuer]

    init(_ issuers: [FetchedIssuer]) { self.issuers = issuers }
  }

  /// Creates issuers without keys.
  ///
  /// - Parameters:
  ///   - settings: The settings of each.
  ///   - own: The gateway's own keys, and what their tokens must hold.
  ///   - mayChange: Whether they come from a file that is read anew on a reload.
  package init(_ settings: [IssuerSettings], besides own: JWTVerifier, mayChange: Bool = false) {
    let verifier = JWTVerifier(keys: own.keys, policy: own.policy)
    self.verifier = verifier
    self.mayChange = mayChange
    let prefixes = Replaceable(UserPrefixes(Self.prefixes(settings)))
    self.prefixes = prefixes
    list = Replaceable(List(settings.map { FetchedIssuer($0, for: verifier, prefixes: prefixes) }))
  }

  private static func prefixes(_ settings: [IssuerSettings]) -> [String] {
    settings.map(\.users.prefix).filter { !$0.isEmpty }
  }

  package var issuers: [FetchedIssuer] { list.value.issuers }

  /// Whether the logout tokens of an issuer are accepted.
  var takesLogouts: Bool { issuers.contains { !$0.settings.logoutAudiences.isEmpty } }

  /// Returns the issuer with that `iss`, compared by bytes.
  func issuer(_ iss: Name) -> FetchedIssuer? { issuers.first { $0.settings.issuer == iss } }

  // MARK: Tokens

  package func advice(on failure: TokenError, of token: String, mayWait: Bool) -> KeyAdvice {
    issuer(of: token)?.advice(on: failure, of: token, mayWait: mayWait) ?? .stands
  }

  package func session(_ claims: JWTClaims) -> LoginSession? {
    guard let owner = claims.owner else { return nil }
    return issuers.first { $0.owner === owner }?.session(claims)
  }

  package func error(for failure: TokenError, of token: String) -> GatewayError {
    issuer(of: token)?.error(for: failure, of: token) ?? failure.gatewayError
  }

  /// Returns the issuer that a token names. Nothing is verified: the name only chooses the issuer that is asked for keys.
  func issuer(of token: String) -> FetchedIssuer? {
    guard let content = try? UnverifiedToken(token, sizeMax: verifier.policy.sizeMax) else { return nil }
    return content.payload["iss"]?.string.flatMap { issuer(Name($0)) }
  }

  // MARK: Changes

  /// The difference between the present issuers and settings that were read anew.
  package struct Change: Sendable {
    /// The issuers from then on, in the order of the settings.
    let issuers: [FetchedIssuer]
    /// The new ones, which have no keys yet.
    package let added: [FetchedIssuer]
    package let removed: [FetchedIssuer]
  }

  /// Returns what changes if `fresh` is in force. An issuer stays if nothing about it differs.
  package func change(to fresh: LoginIssuers) -> Change {
    let present = issuers
    let new = fresh.issuers.map { one in
      present.first { $0.settings == one.settings } ?? FetchedIssuer(one.settings, for: verifier, prefixes: prefixes)
    }
    return Change(
      issuers: new, added: new.filter { one in !present.contains { $0 === one } },
      removed: present.filter { one in !new.contains { $0 === one } })
  }

  /// Reserves the prefixes of users before and after a change. Before the keys of the added issuers are fetched.
  package func reserve(for change: Change) {
    prefixes.replace(with: UserPrefixes(Self.prefixes((change.issuers + change.removed).map(\.settings))))
  }

  /// Reserves the prefixes of the present issuers only.
  package func reservePresent() { prefixes.replace(with: UserPrefixes(Self.prefixes(issuers.map(\.settings)))) }

  /// Puts a change in force. Returns a function that frees the former lists; call it once no thread can be inside a
  /// verification that had begun by now.
  package func make(_ change: Change) -> @Sendable () -> Void {
    list.replace(with: List(change.issuers))
    reservePresent()
    let (lists, names) = (list.retirement(), prefixes.retirement())
    return {
      lists()
      names()
    }
  }
}
