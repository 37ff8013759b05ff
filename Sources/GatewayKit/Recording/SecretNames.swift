/// The names of members, parameters and header fields whose values are secrets.
enum SecretNames {
  private typealias Named = (name: [UInt8], kind: Pseudonyms.Kind)

  private static let endings: [Named] =
    named(["token", "tokens", "jwt", "authorization", "bearer", "ticket"], .token)
    + named(["cookie", "cookies"], .cookie)
    + named(
      [
        "secret", "secrets", "password", "passphrase", "passwd", "pwd", "credential", "credentials", "signature",
        "apikey", "accesskey", "privatekey", "sessionkey", "streamkey", "otp", "pin",
      ], .key)
  private static let whole = named(["auth"], .token) + named(["key", "sig", "pass", "nonce"], .key)

  private static func named(_ names: [String], _ kind: Pseudonyms.Kind) -> [Named] {
    names.map { (Array($0.utf8), kind) }
  }

  /// A longer name is no name.
  private static let nameMax = 128

  /// Returns what the values of that name are; nil if they are no secrets.
  static func kind(of name: some Collection<UInt8>) -> Pseudonyms.Kind? {
    guard name.count <= nameMax else { return nil }
    let letters = name.compactMap { byte -> UInt8? in
      byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") ? nil : Word.lower(byte)
    }
    return endings.first { letters.suffix($0.name.count).elementsEqual($0.name) }?.kind
      ?? whole.first { letters.elementsEqual($0.name) }?.kind
  }

  /// Returns the length of the scheme with which a credential begins, e.g. 7 for `Bearer `; 0 for none.
  static func scheme(of credential: some Collection<UInt8>) -> Int {
    for scheme in ["bearer ", "basic ", "jwt ", "token "]
    where credential.count > scheme.utf8.count && zip(credential, scheme.utf8).allSatisfy({ Word.lower($0) == $1 }) {
      return scheme.utf8.count
    }
    return 0
  }
}

/// The texts that a recording shows as they are: words, numbers and short names with a number, e.g. `phx_join` or `user-17`.
enum Word {
  private static let lengthMax = 48
  private static let lettersMax = 20
  private static let digitsMax = 16
  private static let digitsAfterLettersMax = 4

  static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }

  static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Returns whether a byte belongs to a word, a number or a token.
  static func isPart(_ byte: UInt8) -> Bool {
    isDigit(byte) || (0x61...0x7a).contains(byte | 0x20) && byte < 0x80 || byte >= 0x80 || "_-.~+%/".utf8.contains(byte)
  }

  /// Returns whether a text is no secret by its form: each of its parts is letters, then a few digits.
  static func isPlain(_ text: some Collection<UInt8>) -> Bool {
    guard text.count <= lengthMax else { return false }
    if Pseudonyms.isName(text) { return false }
    return Array(text).split { "_-.~".utf8.contains($0) }.allSatisfy { isPlainPart($0) }
  }

  private static func isPlainPart(_ part: ArraySlice<UInt8>) -> Bool {
    var (letters, digits, turns, wasLower) = (0, 0, 0, false)
    for byte in part {
      if isDigit(byte) {
        digits += 1
        continue
      }
      guard digits == 0, (0x61...0x7a).contains(byte | 0x20) || byte >= 0x80 else { return false }
      letters += 1
      let isUpper = (0x41...0x5a).contains(byte)
      if wasLower && isUpper { turns += 1 }
      wasLower = !isUpper
    }
    guard letters <= lettersMax, turns <= 1 + letters / 5 else { return false }
    return digits <= (letters == 0 ? digitsMax : digitsAfterLettersMax)
  }
}
