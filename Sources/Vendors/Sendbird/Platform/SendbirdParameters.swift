internal import GatewayCore
internal import GatewayJSON

/// The members of a body or command, read with Sendbird's errors: which member is wrong and what it must be, never its
/// value.
typealias SendbirdParameters = Fields<SendbirdWords>

/// Sendbird's error messages for wrong members. Text lengths are counted in characters.
enum SendbirdWords: FieldWords {
  static func length(of text: String) -> Int { text.unicodeScalars.count }

  static func failure(_ fault: FieldFault, _ name: String, path: String) -> SendbirdError {
    switch fault {
    case .missing: .missing(name)
    case .empty: .invalid(name)
    case .notText, .notTexts: .notString(name)
    case .tooLong(let max): .tooLong(name, max: max)
    case .notFlag: .notBoolean(name)
    case .notInteger: .notNumber(name)
    case .notObject: .notJSON(name)
    case .notArray: .notList(name)
    case .tooMany: .tooMany(name)
    }
  }
}

extension Fields<SendbirdWords> {
  private static var depthMax: Int { 16 }
  /// The largest number: milliseconds of the next hundred thousand years.
  static var millisecondsMax: Int64 { 4_000_000_000_000_000 }

  /// Parses a JSON object; an empty text is an empty one.
  init(_ bytes: [UInt8]) throws(SendbirdError) {
    let text = bytes.isEmpty ? Array("{}".utf8) : bytes
    guard let root = Self.parse(text) ?? text.withUnsafeBytes(SendbirdEscapes.mended).flatMap(Self.parse),
      let fields = Self(root)
    else { throw .bodyNotJSON }
    self = fields
  }

  private static func parse(_ text: [UInt8]) -> JSONView? {
    try? JSONDocument.parse(text, sizeMax: text.count, depthMax: depthMax).root
  }

  /// Reads the text with that name as a `Name`.
  func name(_ name: String, max: Int) throws(SendbirdError) -> Name? {
    try string(name, max: max).map { Name($0) }
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

  /// Reads a non-negative whole number.
  func integer(_ name: String) throws(SendbirdError) -> Int64? {
    guard let value = self.value(name) else { return nil }
    guard let number = value.number else { throw .notNumber(name) }
    guard let whole = value.integer ?? Int64(exactly: number) else { throw .invalid(name) }
    guard whole >= 0 else { throw .negative(name) }
    return whole
  }

  /// Reads a time in milliseconds.
  func time(_ name: String) throws(SendbirdError) -> WallTime? {
    guard let milliseconds = try integer(name) else { return nil }
    guard milliseconds <= Self.millisecondsMax else { throw .outOfRange(name) }
    return WallTime(nanoseconds: 0) + .milliseconds(milliseconds)
  }

  func users(_ name: String, count: Int = SendbirdLimits.usersOfRequest) throws(SendbirdError) -> [UserID]? {
    guard let names = try strings(name, count: count, max: SendbirdLimits.userID) else { return nil }
    guard !names.contains("") else { throw .invalid(name) }
    var seen: Set<UserID> = []
    return names.map { UserID($0) }.filter { seen.insert($0).inserted }
  }

  /// Reads language codes, from a list or from one text separated by commas.
  func languages(_ name: String) throws(SendbirdError) -> [Name]? {
    let listed: [String]
    if let text = value(name)?.string {
      listed = text.split(separator: ",").map(String.init)
    } else {
      guard let texts = try strings(name, count: SendbirdLimits.translations) else { return nil }
      listed = texts
    }
    guard listed.count <= SendbirdLimits.translations else { throw .tooMany(name) }
    guard listed.allSatisfy({ (1...SendbirdLimits.language).contains($0.utf8.count) }) else { throw .invalid(name) }
    return listed.map { Name($0) }
  }

  /// Reads an object whose members are strings.
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

  /// The users who must be invited (true) or joined at once (false), whatever their own preference:
  /// `invitation_status`.
  var invitations: [UserID: Bool] {
    get throws(SendbirdError) {
      let statuses = try texts("invitation_status") ?? [:]
      return statuses.reduce(into: [:]) { $0[UserID($1.key)] = $1.value != "joined" }
    }
  }
}
