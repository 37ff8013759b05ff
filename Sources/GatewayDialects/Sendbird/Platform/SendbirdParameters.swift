internal import GatewayCore
internal import GatewayTokens

/// The members of a body or command, read with the errors that the vendor has for each fault: which member, and what it
/// must be, never what it was. A null stands for a member that is not there.
struct SendbirdParameters: Sendable {
  private static let depthMax = 16
  /// How far numbers are told: milliseconds of the next hundred thousand years.
  static let millisecondsMax: Int64 = 4_000_000_000_000_000

  private let root: JSONView

  /// Reads a JSON object; an empty text is an empty one.
  init(_ bytes: [UInt8]) throws(SendbirdError) {
    let text = bytes.isEmpty ? Array("{}".utf8) : bytes
    guard let root = Self.parse(text) ?? text.withUnsafeBytes(SendbirdEscapes.mended).flatMap(Self.parse),
      root.isObject
    else { throw .bodyNotJSON }
    self.root = root
  }

  private static func parse(_ text: [UInt8]) -> JSONView? {
    try? JSONDocument.parse(text, sizeMax: text.count, depthMax: depthMax).root
  }

  /// The value of that name, whatever it is; nil for null.
  func value(_ name: String) -> JSONView? {
    guard let value = root[member: name], !value.isNull else { return nil }
    return value
  }

  func has(_ name: String) -> Bool { value(name) != nil }

  /// The string of that name, of at most so many characters.
  func string(_ name: String, max: Int) throws(SendbirdError) -> String? {
    guard let value = self.value(name) else { return nil }
    guard let text = value.string else { throw .notString(name) }
    guard text.unicodeScalars.count <= max else { throw .tooLong(name, max: max) }
    return text
  }

  /// The same as a name.
  func name(_ name: String, max: Int) throws(SendbirdError) -> Name? {
    try string(name, max: max).map { Name($0) }
  }

  /// The same, where it must be there and hold something.
  func neededString(_ name: String, max: Int) throws(SendbirdError) -> String {
    guard let text = try string(name, max: max) else { throw .missing(name) }
    guard !text.isEmpty else { throw .invalid(name) }
    return text
  }

  func user(_ name: String) throws(SendbirdError) -> UserID? {
    guard let text = try string(name, max: SendbirdLimits.userID) else { return nil }
    guard !text.isEmpty else { throw .invalid(name) }
    return UserID(text)
  }

  func neededUser(_ name: String) throws(SendbirdError) -> UserID {
    guard let user = try user(name) else { throw .missing(name) }
    return user
  }

  func flag(_ name: String) throws(SendbirdError) -> Bool? {
    guard let value = self.value(name) else { return nil }
    guard let flag = value.bool else { throw .notBoolean(name) }
    return flag
  }

  /// The whole number of that name, not negative.
  func integer(_ name: String) throws(SendbirdError) -> Int64? {
    guard let value = self.value(name) else { return nil }
    guard let number = value.number else { throw .notNumber(name) }
    guard let whole = value.integer ?? Int64(exactly: number) else { throw .invalid(name) }
    guard whole >= 0 else { throw .negative(name) }
    return whole
  }

  /// A time in milliseconds.
  func time(_ name: String) throws(SendbirdError) -> WallTime? {
    guard let milliseconds = try integer(name) else { return nil }
    guard milliseconds <= Self.millisecondsMax else { throw .outOfRange(name) }
    return WallTime(nanoseconds: 0) + .milliseconds(milliseconds)
  }

  /// The strings of that name.
  func strings(_ name: String, count: Int, max: Int) throws(SendbirdError) -> [String]? {
    guard let value = self.value(name) else { return nil }
    guard let elements = value.elements else { throw .notList(name) }
    guard elements.count <= count else { throw .tooMany(name) }
    var strings: [String] = []
    for element in elements {
      guard let text = element.string else { throw .notString(name) }
      guard text.unicodeScalars.count <= max else { throw .tooLong(name, max: max) }
      strings.append(text)
    }
    return strings
  }

  func users(_ name: String, count: Int = SendbirdLimits.usersOfRequest) throws(SendbirdError) -> [UserID]? {
    guard let names = try strings(name, count: count, max: SendbirdLimits.userID) else { return nil }
    guard !names.contains("") else { throw .invalid(name) }
    var seen: Set<UserID> = []
    return names.map { UserID($0) }.filter { seen.insert($0).inserted }
  }

  /// The object of that name whose members are strings.
  func texts(_ name: String) throws(SendbirdError) -> [Name: String]? {
    guard let value = self.value(name) else { return nil }
    guard let members = value.members else { throw .notJSON(name) }
    guard members.count <= SendbirdLimits.metadataCount else { throw .tooMany(name) }
    var texts: [Name: String] = [:]
    for (key, value) in members {
      guard let text = value.string else { throw .notString(key) }
      guard key.unicodeScalars.count <= SendbirdLimits.metadataKey else {
        throw .tooLong(name, max: SendbirdLimits.metadataKey)
      }
      guard text.unicodeScalars.count <= SendbirdLimits.metadataValue else {
        throw .tooLong(key, max: SendbirdLimits.metadataValue)
      }
      texts[Name(key)] = text
    }
    return texts
  }

  /// Who is to be invited only, and not to be joined at once: `invitation_status`.
  var invitedOnly: Set<UserID> {
    get throws(SendbirdError) {
      let statuses = try texts("invitation_status") ?? [:]
      return Set(statuses.filter { $0.value != "joined" }.keys.map { UserID($0) })
    }
  }

  /// What `read` makes of each object of the list of that name.
  func objects<T>(
    _ name: String, count: Int, _ read: (SendbirdParameters) throws(SendbirdError) -> T
  ) throws(SendbirdError) -> [T]? {
    guard let value = self.value(name) else { return nil }
    guard let elements = value.elements else { throw .notList(name) }
    guard elements.count <= count else { throw .tooMany(name) }
    var results: [T] = []
    for element in elements {
      guard element.isObject else { throw .notJSON(name) }
      results.append(try read(SendbirdParameters(root: element)))
    }
    return results
  }

  /// The object of that name.
  func object(_ name: String) throws(SendbirdError) -> SendbirdParameters? {
    guard let value = self.value(name) else { return nil }
    guard value.isObject else { throw .notJSON(name) }
    return SendbirdParameters(root: value)
  }

  private init(root: JSONView) {
    self.root = root
  }
}
