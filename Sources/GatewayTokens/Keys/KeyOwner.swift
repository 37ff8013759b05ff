/// The issuer that fetched keys belong to, as the requirements for the tokens that they sign.
package final class KeyOwner: Sendable {
  package let policy: TokenPolicy

  /// Creates an owner of keys whose tokens must meet `policy`, which names the issuer, and must end.
  package init(_ policy: TokenPolicy) {
    precondition(policy.issuer != nil, "fetched keys belong to an issuer")
    var policy = policy
    policy.requiresExpiry = true
    self.policy = policy
  }
}
