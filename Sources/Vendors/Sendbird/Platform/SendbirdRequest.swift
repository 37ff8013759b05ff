internal import GatewayCore
internal import GatewayJSON

/// A request over HTTP whose caller has been let in: a server's for a user's row, for instance.
struct SendbirdRequest: Sendable {
  let http: HTTPRequest
  let path: PathParameters
  let caller: SendbirdCaller

  var body: SendbirdParameters {
    get throws(SendbirdError) { try SendbirdParameters(form?.json ?? http.body) }
  }

  /// The body, where it is one with files in it.
  var form: SendbirdForm? { SendbirdForm(http) }

  var isServer: Bool { caller == .server }

  /// The user that the path names.
  var userInPath: UserID { UserID(path["user_id"]) }

  /// The channel that the path names.
  var channelURL: Name { Name(path["channel_url"]) }

  // MARK: Who may

  /// Throws unless a server asks.
  func needsServer() throws(SendbirdError) {
    guard isServer else { throw .notAuthorized }
  }

  /// Throws unless a server asks, or the user themselves.
  func needs(_ user: UserID) throws(SendbirdError) {
    if case .user(let own, _) = caller, own != user { throw .notAuthorized }
  }

  /// Throws for a guest, who changes nothing.
  func needsWriter() throws(SendbirdError) {
    if case .user(_, .guest) = caller { throw .guestNotAllowed }
  }

  /// For whom something is done: a client does it for itself whatever it writes, a server for the user it names.
  func actor(_ named: UserID?) -> UserID? {
    if case .user(let own, _) = caller { own } else { named }
  }

  // MARK: The query

  func text(_ name: String) -> String? {
    guard let value = http.parameter(name), !value.isEmpty else { return nil }
    return value
  }

  /// The whole number of that name, from 0 to `max`.
  func number(_ name: String, default usual: Int, max: Int) throws(SendbirdError) -> Int {
    guard let text = text(name) else { return usual }
    guard let number = Int(text) else { throw .notNumber(name) }
    guard number >= 0 else { throw .negative(name) }
    guard number <= max else { throw .outOfRange(name) }
    return number
  }

  /// A time in milliseconds. A client that means the newest messages names the largest number it has.
  func time(_ name: String) throws(SendbirdError) -> WallTime? {
    guard let text = text(name) else { return nil }
    guard let milliseconds = Int64(text) else { throw .notNumber(name) }
    guard milliseconds >= 0 else { throw .negative(name) }
    return WallTime(milliseconds: min(milliseconds, SendbirdParameters.millisecondsMax))
  }

  var limit: Int {
    get throws(SendbirdError) {
      let limit = try number("limit", default: SendbirdLimits.page, max: SendbirdLimits.pageMax)
      guard limit > 0 else { throw .outOfRange("limit") }
      return limit
    }
  }

  /// Clients write booleans as words, in either case, or as digits.
  func flag(_ name: String) throws(SendbirdError) -> Bool? {
    guard let text = text(name) else { return nil }
    switch text.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
    default: throw .notBoolean(name)
    }
  }

  /// The values of that name, separated by commas or given one by one.
  func texts(_ name: String) -> Set<Name>? {
    let values = http.query.lazy.filter { $0.name == name }.flatMap { $0.value.split(separator: ",") }
    return values.isEmpty ? nil : Set(values.map { Name(PercentEncoding.decode($0) ?? String($0)) })
  }

  /// Where the page begins: what the page before gave as `next`.
  var pageToken: Int64? {
    get throws(SendbirdError) { try Self.place(text("token")) }
  }

  /// How many of a list come before the page.
  var pageStart: Int {
    get throws(SendbirdError) { Int(clamping: try pageToken ?? 0) }
  }

  /// The place that a page token names.
  static func place(_ token: String?) throws(SendbirdError) -> Int64? {
    guard let token, !token.isEmpty else { return nil }
    guard let place = SendbirdPageToken.place(token) else { throw .invalid("token") }
    return place
  }
}

/// The name of a page, the second of all channels for instance: opaque to clients, who only give it back.
enum SendbirdPageToken {
  private static let prefix = "p"

  static func text(_ place: Int64) -> String {
    prefix + String(place, radix: 36)
  }

  static func place(_ text: String) -> Int64? {
    guard text.hasPrefix(prefix), text.utf8.count <= 16, let place = Int64(text.dropFirst(), radix: 36), place >= 0
    else {
      return nil
    }
    return place
  }
}
