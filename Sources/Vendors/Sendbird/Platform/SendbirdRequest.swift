internal import GatewayCore
internal import GatewayJSON

/// A request over HTTP with an authenticated caller.
struct SendbirdRequest: Sendable {
  let http: HTTPRequest
  let path: PathParameters
  let caller: SendbirdCaller

  var body: SendbirdParameters {
    get throws(SendbirdError) { try SendbirdParameters(form?.json ?? http.body) }
  }

  /// The body, if it is a form with files.
  var form: SendbirdForm? { SendbirdForm(http) }

  var isServer: Bool { caller == .server }

  /// The user in the path.
  var userInPath: UserID { UserID(path["user_id"]) }

  /// The channel in the path.
  var channelURL: Name { Name(path["channel_url"]) }

  // MARK: Access

  /// Throws unless a server asks.
  func needsServer() throws(SendbirdError) {
    guard isServer else { throw .notAuthorized }
  }

  /// Throws unless a server or the user asks.
  func needs(_ user: UserID) throws(SendbirdError) {
    if case .user(let own, _) = caller, own != user { throw .notAuthorized }
  }

  /// Throws for a guest, who may not change anything.
  func needsWriter() throws(SendbirdError) {
    if case .user(_, .guest) = caller { throw .guestNotAllowed }
  }

  /// Returns the acting user: a client always acts for itself, a server for the user it names.
  func actor(_ named: UserID?) -> UserID? {
    if case .user(let own, _) = caller { own } else { named }
  }

  // MARK: Query

  func text(_ name: String) -> String? {
    guard let value = http.parameter(name), !value.isEmpty else { return nil }
    return value
  }

  /// Reads a whole number from 0 to `max`.
  func number(_ name: String, default usual: Int, max: Int) throws(SendbirdError) -> Int {
    guard let text = text(name) else { return usual }
    guard let number = Int(text) else { throw .notNumber(name) }
    guard number >= 0 else { throw .negative(name) }
    guard number <= max else { throw .outOfRange(name) }
    return number
  }

  /// Reads a time in milliseconds. A client that wants the newest messages sends its largest number.
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

  /// Reads a boolean. Clients write them as words in either case, or as digits.
  func flag(_ name: String) throws(SendbirdError) -> Bool? {
    guard let text = text(name) else { return nil }
    switch text.lowercased() {
    case "true", "1": return true
    case "false", "0": return false
    default: throw .notBoolean(name)
    }
  }

  /// Reads values that are separated by commas or given one by one.
  func texts(_ name: String) -> Set<Name>? {
    let values = http.query.lazy.filter { $0.name == name }.flatMap { $0.value.split(separator: ",") }
    return values.isEmpty ? nil : Set(values.map { Name(PercentEncoding.decode($0) ?? String($0)) })
  }

  /// The start of the page: the `next` of the page before.
  var pageToken: Int64? {
    get throws(SendbirdError) { try Self.place(text("token")) }
  }

  /// The number of items before the page.
  var pageStart: Int {
    get throws(SendbirdError) { Int(clamping: try pageToken ?? 0) }
  }

  /// Returns the place in a page token.
  static func place(_ token: String?) throws(SendbirdError) -> Int64? {
    guard let token, !token.isEmpty else { return nil }
    guard let place = SendbirdPageToken.place(token) else { throw .invalid("token") }
    return place
  }
}

/// The token of a page, which clients treat as opaque.
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
