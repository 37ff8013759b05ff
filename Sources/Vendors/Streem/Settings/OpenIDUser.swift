package import GatewayCore

/// A person who may log in: ann, with the password of `--streem-oidc-user ann=FILE`, for instance.
package struct OpenIDUser: Sendable {
  /// The user's name in the application; it becomes `sub`.
  package let name: Name
  /// The code of the company; nil for the home company.
  package let company: Name?
  /// A secret.
  let password: String

  package init(name: Name, company: Name? = nil, password: String) {
    self.name = name
    self.company = company
    self.password = password
  }
}
