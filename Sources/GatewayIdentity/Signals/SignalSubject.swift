internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The subject of an event: a user, a session at the login, or a user's session (RFC 9493).
struct SignalSubject: Hashable {
  var user: UserID?
  var session: LoginSession?
  /// Whether the event is about less than that, which no token says, e.g. about one device.
  var isWidened = false

  /// Whether it names somebody.
  var isKnown: Bool { user != nil || session != nil }

  init(user: UserID? = nil, session: LoginSession? = nil) {
    self.user = user
    self.session = session
  }

  /// Reads a subject. One of another issuer, or of a form that no token has, names nobody. Throws if it is malformed.
  ///
  /// - Parameters:
  ///   - subject: The subject identifier.
  ///   - issuers: The issuers whose `sub` is a user here.
  ///   - login: The login whose sessions tokens say; nil for none.
  init(_ subject: JSONView, of issuers: [Name], sessionsAt login: Name?) throws(SignalRefusal) {
    self.init()
    guard subject.isObject else { throw Self.malformed("the subject is no object") }
    let isComplex = subject["format"] == nil || subject["format"]?.equals("complex") == true
    guard isComplex else {
      try read(subject, issuers, login)
      return
    }
    guard subject["user"] != nil || subject["session"] != nil || subject["device"] != nil else {
      throw Self.malformed("the subject has no format")
    }
    if let user = subject["user"] { try read(user, issuers, login) }
    if let part = subject["session"] { try read(part, issuers, login) }
    isWidened = session == nil && (subject["device"] != nil || subject["session"] != nil)
  }

  private mutating func read(_ simple: JSONView, _ issuers: [Name], _ login: Name?) throws(SignalRefusal) {
    guard simple.isObject, let format = simple["format"]?.string else {
      throw Self.malformed("a subject identifier has no format")
    }
    switch format {
    case "iss_sub":
      guard let issuer = simple["iss"]?.string, let name = simple["sub"]?.string else {
        throw Self.malformed("iss_sub has no iss or no sub")
      }
      guard issuers.contains(Name(issuer)) else { return }
      user = try Self.user(name)
    case "opaque":
      guard let id = simple["id"]?.string, Self.isName(id) else { throw Self.malformed("opaque has no id") }
      session = login.map { LoginSession(id, at: $0) }
    default: return
    }
  }

  /// Returns the user with that `sub`.
  static func user(_ name: String) throws(SignalRefusal) -> UserID {
    guard (1...UserID.lengthMax).contains(name.utf8.count) else {
      throw malformed("sub must be 1 to \(UserID.lengthMax) bytes")
    }
    return UserID(name)
  }

  /// Returns whether that may be the name of a session.
  static func isName(_ text: String) -> Bool { (1...1_024).contains(text.utf8.count) }

  private static func malformed(_ text: String) -> SignalRefusal { SignalRefusal(.invalidRequest, text) }
}
