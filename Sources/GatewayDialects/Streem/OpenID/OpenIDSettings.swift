internal import GatewayCore

/// What the OpenID provider of the Streem platform keeps to.
package struct OpenIDSettings: Sendable {
  /// The address that clients see, without a slash at its end, as `https://id.example`; nil takes it from each request's
  /// `Host`.
  package var address: String?
  /// Whether addresses taken from `Host` are `https`.
  package var isSecure = false
  /// The registered clients; the first is the one that `getOpenIdConfiguration` names.
  package var clients: [OpenIDClient] = [.standard]
  /// Who may log in.
  package var users: [OpenIDUser] = []
  /// Whether everybody may, with any password but an empty one, as long as there are no ``users``.
  package var admitsEverybody = true
  /// How long a person may take to log in.
  package var requestLife = Duration.seconds(600)
  /// How long an authorization code is good.
  package var codeLife = Duration.seconds(60)
  /// How long access tokens and ID tokens are good.
  package var accessLife = Duration.seconds(3600)
  /// How long after its login a grant can be refreshed.
  package var refreshLife = Duration.seconds(30 * 86_400)
  /// How many wrong passwords end a login.
  package var passwordTries = 10
  /// The most logins that are waited for.
  package var requestsMax = 10_000
  /// The most grants, codes and access tokens, each.
  package var grantsMax = 100_000

  package init() {}

  func client(_ id: String) -> OpenIDClient? {
    clients.first { $0.id == id }
  }

  /// Whether these are a user's name and password.
  func admits(_ name: String, password: String, company: String, home: String) -> Bool {
    guard name != UserID.anonymous.rawValue, (1...UserID.lengthMax).contains(name.utf8.count), !password.isEmpty else {
      return false
    }
    guard !users.isEmpty else { return admitsEverybody }
    let user = users.first { $0.name == name && ($0.company ?? home) == company }
    // An unknown name costs as much time as a wrong password.
    let areEqual = ConstantTime.areEqual(Array((user?.password ?? "").utf8), Array(password.utf8))
    return user != nil && areEqual
  }
}
