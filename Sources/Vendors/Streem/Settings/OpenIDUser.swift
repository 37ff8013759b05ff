package import GatewayCore

/// A person who may log in.
package struct OpenIDUser: Sendable {
  /// The application's id of the user, which becomes `sub`.
  package let name: Name
  /// The company's code; nil for the home company.
  package let company: Name?
  /// The password.
  let password: String

  package init(name: Name, company: Name? = nil, password: String) {
    self.name = name
    self.company = company
    self.password = password
  }
}
