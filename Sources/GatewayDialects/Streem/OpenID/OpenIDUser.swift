/// Somebody who may log in.
package struct OpenIDUser: Sendable {
  /// The user's name in the application; it becomes `sub`.
  package let name: String
  /// The code of the company; nil for the home company.
  package let company: String?
  /// A secret.
  let password: String

  package init(name: String, company: String? = nil, password: String) {
    self.name = name
    self.company = company
    self.password = password
  }
}
