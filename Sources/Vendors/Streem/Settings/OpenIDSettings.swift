internal import GatewayCore
internal import GatewayTokens

/// The settings of the Streem platform's OpenID provider.
struct OpenIDSettings: Sendable {
  /// The provider's URL without a trailing slash, e.g. `https://id.example`; nil for each request's `Host`.
  var address: String?
  /// Whether URLs from `Host` are `https`.
  var isSecure = false
  /// The registered clients; `getOpenIdConfiguration` returns the first.
  var clients: [OpenIDClient] = [.standard]
  /// The people who may log in.
  var users: [OpenIDUser] {
    get { keptUsers.value }
    set { keptUsers.value = newValue }
  }
  /// Whether every user may log in with any non-empty password, as long as there are no ``users``.
  var admitsEverybody = true
  /// The time for a login.
  var requestLife = Duration.seconds(600)
  /// The validity of an authorization code.
  var codeLife = Duration.seconds(60)
  /// The validity of access tokens and ID tokens.
  var accessLife = Duration.seconds(3600)
  /// How long after its login a grant can be refreshed.
  var refreshLife = Duration.seconds(30 * 86_400)
  /// How long a used refresh token may be used again; never, if zero.
  var reuseWindow = Duration.zero
  /// The number of wrong passwords for one name in ``triesWindow`` after which no password is checked until its end.
  var tries = 10
  var triesWindow = Duration.seconds(300)
  /// How many login forms one address may submit in a minute.
  var loginsPerMinute = 300
  /// The maximum number of grants, and of codes.
  var grantsMax = 100_000
  /// The maximum number of grants of one user; a new one replaces the oldest.
  var grantsPerUserMax = 100
  /// The maximum number of bytes of all grants, and of all codes.
  var bytesMax = 64 << 20

  private var keptUsers = Renewable<[OpenIDUser]>([])

  init() {}

  /// Adopts the users and passwords of `other`, in every copy of these settings.
  func takeUsers(of other: OpenIDSettings) { keptUsers.take(other.keptUsers) }

  func client(_ id: Name) -> OpenIDClient? {
    clients.first { $0.id == id }
  }

  /// Returns whether the user may log in with that password.
  func admits(_ account: OpenIDAccount, password: String, home: Name) -> Bool {
    guard account.user != UserID.anonymous.name, (1...UserID.lengthMax).contains(account.user.text.utf8.count),
      !password.isEmpty
    else { return false }
    guard !users.isEmpty else { return admitsEverybody }
    let user = user(account, home: home)
    // An unknown name takes as much time as a wrong password.
    let areEqual = ConstantTime.areEqual(Array((user?.password ?? "").utf8), Array(password.utf8))
    return user != nil && areEqual
  }

  /// Returns the user of that account; nil if there is none, or no users are configured.
  func user(_ account: OpenIDAccount, home: Name) -> OpenIDUser? {
    users.first { $0.name == account.user && ($0.company ?? home) == account.company }
  }
}
