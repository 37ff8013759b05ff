internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The subject of an event: a user, a session at the login, or a user's session (RFC 9493).
struct SignalSubject {
  var user: UserID?
  var session: LoginSession?
  /// The login of the user or of the session; nil if no login is named.
  var login: FetchedIssuer?
  /// Whether the event is about less than that, which no token says, e.g. about one device.
  var isWidened = false

  /// Whether it names a user or a session.
  var isKnown: Bool { user != nil || session != nil }

  init(user: UserID? = nil, session: LoginSession? = nil) {
    self.user = user
    self.session = session
  }

  /// Reads a subject. One of another issuer, or of a form that no token has, names no user. Throws if it is malformed.
  ///
  /// - Parameters:
  ///   - subject: The subject identifier.
  ///   - transmitter: The sender, whose own `sub` is a user here too.
  ///   - logins: The application's logins.
  init(_ subject: JSONView, by transmitter: FetchedIssuer, logins: [FetchedIssuer]) throws(SignalRefusal) {
    self.init()
    guard subject.isObject else { throw Self.malformed("the subject is no object") }
    let isComplex = subject["format"] == nil || subject["format"]?.equals("complex") == true
    guard isComplex else {
      try read(subject, transmitter, logins)
      return
    }
    guard subject["user"] != nil || subject["session"] != nil || subject["device"] != nil else {
      throw Self.malformed("the subject has no format")
    }
    if let user = subject["user"] { try read(user, transmitter, logins) }
    if let part = subject["session"] { try read(part, transmitter, logins) }
    isWidened = session == nil && (subject["device"] != nil || subject["session"] != nil)
  }

  private mutating func read(
    _ simple: JSONView, _ transmitter: FetchedIssuer, _ logins: [FetchedIssuer]
  ) throws(SignalRefusal) {
    guard simple.isObject, let format = simple["format"]?.string else {
      throw Self.malformed("a subject identifier has no format")
    }
    switch format {
    case "iss_sub":
      guard let issuer = simple["iss"]?.string, let name = simple["sub"]?.string else {
        throw Self.malformed("iss_sub has no iss or no sub")
      }
      if let named = logins.first(where: { $0.settings.issuer == Name(issuer) }) {
        guard named.settings.namesUsersBySub else { return }
        (user, login) = (try Self.user(name, of: named), named)
      } else if Name(issuer) == transmitter.settings.issuer {
        user = try Self.user(name, of: transmitter)
      }
    case "email":
      guard let address = simple["email"]?.string else { throw Self.malformed("email has no email") }
      guard let named = Self.only(logins, { $0.users.claim.map { Name($0) } == Name("email") }) else { return }
      (user, login) = (try Self.user(address, of: named), named)
    case "opaque":
      guard let id = simple["id"]?.string, Self.isName(id) else { throw Self.malformed("opaque has no id") }
      guard let named = login ?? Self.only(logins, { !$0.logoutAudiences.isEmpty }) else { return }
      (session, login) = (LoginSession(id, at: named.settings.issuer), named)
    default: return
    }
  }

  /// Returns the only login of that kind; nil if there is none, or it is not clear which is meant.
  private static func only(_ logins: [FetchedIssuer], _ isMeant: (IssuerSettings) -> Bool) -> FetchedIssuer? {
    let meant = logins.filter { isMeant($0.settings) }
    return meant.count == 1 ? meant[0] : nil
  }

  /// Returns the user that a login calls `name`. Throws if no user has such a name.
  static func user(_ name: String, of login: FetchedIssuer) throws(SignalRefusal) -> UserID {
    do throws(TokenError) {
      return try login.owner.user(name, in: "sub")
    } catch {
      throw malformed("\(error)")
    }
  }

  /// Returns whether that may be the name of a session.
  static func isName(_ text: String) -> Bool { (1...1_024).contains(text.utf8.count) }

  private static func malformed(_ text: String) -> SignalRefusal { SignalRefusal(.invalidRequest, text) }
}
