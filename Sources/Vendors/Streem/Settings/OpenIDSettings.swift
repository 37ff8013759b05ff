internal import GatewayCore
internal import GatewayTokens

/// The settings of the Streem platform's OpenID provider: the address that clients see, `https://id.example` for
/// instance.
package struct OpenIDSettings: Sendable {
  /// The address that clients see, without a slash at its end, as `https://id.example`; nil takes it from each request's
  /// `Host`.
  package var address: String?
  /// Whether addresses taken from `Host` are `https`.
  package var isSecure = false
  /// The registered clients; the first is the one that `getOpenIdConfiguration` names.
  package var clients: [OpenIDClient] = [.standard]
  /// Who may log in.
  package var users: [OpenIDUser] {
    get { keptUsers.value }
    set { keptUsers.value = newValue }
  }
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
  /// For how long a refresh token that has been used may be used again; never, if zero.
  package var reuseWindow = Duration.zero
  /// How many wrong passwords for one name are borne in ``triesWindow``; then none is looked at until it is over.
  package var tries = 10
  package var triesWindow = Duration.seconds(300)
  /// How many times an address may send the login form in a minute, whatever it says.
  package var loginsPerMinute = 300
  /// The most grants, and codes, each.
  package var grantsMax = 100_000
  /// The most grants of one user; the oldest ends for the next.
  package var grantsPerUserMax = 100
  /// The most that grants, and codes, each may take, in bytes.
  package var bytesMax = 64 << 20

  private var keptUsers = Renewable<[OpenIDUser]>([])

  package init() {}

  /// Has every copy of these go by the passwords of `other` from now on.
  func takeUsers(of other: OpenIDSettings) { keptUsers.take(other.keptUsers) }

  func client(_ id: Name) -> OpenIDClient? {
    clients.first { $0.id == id }
  }

  /// Whether these are a user's name and password.
  func admits(_ account: OpenIDAccount, password: String, home: Name) -> Bool {
    guard account.user != UserID.anonymous.name, (1...UserID.lengthMax).contains(account.user.text.utf8.count),
      !password.isEmpty
    else { return false }
    guard !users.isEmpty else { return admitsEverybody }
    let user = user(account, home: home)
    // An unknown name costs as much time as a wrong password.
    let areEqual = ConstantTime.areEqual(Array((user?.password ?? "").utf8), Array(password.utf8))
    return user != nil && areEqual
  }

  /// The user of that account; nil if there is none, or nobody said who there is.
  func user(_ account: OpenIDAccount, home: Name) -> OpenIDUser? {
    users.first { $0.name == account.user && ($0.company ?? home) == account.company }
  }
}
