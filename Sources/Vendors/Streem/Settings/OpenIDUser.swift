internal import GatewayCore

/// A person who may log in.
struct OpenIDUser: Sendable {
  /// The application's id of the user, which becomes `sub`.
  let name: Name
  /// The company's code; nil for the home company.
  let company: Name?
  /// The password.
  let password: String

  init(name: Name, company: Name? = nil, password: String) {
    self.name = name
    self.company = company
    self.password = password
  }
}
