/// The issuer that fetched keys belong to, as the requirements for the tokens that they sign.
package final class KeyOwner: Sendable {
  package let policy: TokenPolicy
  /// The names of its users.
  package let users: UserNames
  let prefixes: Replaceable<UserPrefixes>?

  /// Creates an owner of keys.
  ///
  /// - Parameters:
  ///   - policy: The requirements for its tokens. It names the issuer, and they must end.
  ///   - users: The names of its users.
  ///   - prefixes: The prefixes of all issuers' users; nil if there are no others.
  package init(_ policy: TokenPolicy, users: UserNames = UserNames(), prefixes: Replaceable<UserPrefixes>? = nil) {
    precondition(policy.issuer != nil, "fetched keys belong to an issuer")
    var policy = policy
    policy.requiresExpiry = true
    self.policy = policy
    self.users = users
    self.prefixes = prefixes
  }
}

/// How an issuer's tokens name users, and what their names are here.
package struct UserNames: Hashable, Sendable {
  /// The claim that names the user; nil for `user_id`, or `sub` without one.
  package var claim: String?
  /// The text in front of each name, so that two issuers may use the same; empty for none.
  package var prefix = ""

  package init() {}
}

/// The prefixes of all issuers' users. None is empty, and none begins with another.
package final class UserPrefixes: Sendable {
  package let all: [String]

  package init(_ all: [String]) { self.all = all }
}
