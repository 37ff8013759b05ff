internal import GatewayCore
internal import GatewayTokens

/// An application of Sinch: its key, which names it, and its secrets, newest first. While a secret is being replaced
/// there are two.
struct SinchApplication: Sendable {
  let key: Name
  let secrets: [SinchSecret]

  /// Creates an application.
  ///
  /// - Precondition: at least one secret.
  init(key: Name, secrets: [SinchSecret]) {
    precondition(!secrets.isEmpty, "an application without a secret")
    self.key = key
    self.secrets = secrets
  }
}

/// The secret of an application, as base64 text. It is redacted when printed.
struct SinchSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The text in the vendor's console, which the legacy mobile signature uses.
  let text: String
  /// The decoded bytes, which everything else uses.
  let bytes: [UInt8]

  /// Reads a secret in either base64 alphabet, padded or not; fails for other or empty text.
  init?(_ text: String) {
    guard let bytes = Base64.decode(text), !bytes.isEmpty else { return nil }
    self.text = text
    self.bytes = bytes
  }

  /// Creates a secret from these bytes.
  init(bytes: [UInt8]) {
    text = Base64.encode(bytes)
    self.bytes = bytes
  }

  var description: String { "SinchSecret(\(bytes.count) bytes)" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

/// The applications that a gateway knows, by default one called `postern`.
struct SinchApplications: Sendable {
  private let content: Replaceable<Content>
  /// Whether the secret is random and known to this process only; a reload then keeps it.
  let isRandom: Bool

  private final class Content: Sendable {
    let known: [Name: SinchApplication]
    /// The secrets of every unknown application; empty if only known ones are accepted.
    let others: [SinchSecret]

    init(_ known: [Name: SinchApplication], others: [SinchSecret]) {
      self.known = known
      self.others = others
    }
  }

  /// Creates a set of only these applications.
  init(_ applications: [SinchApplication]) {
    let known = applications.reduce(into: [Name: SinchApplication]()) { known, application in
      let secrets = (known[application.key]?.secrets ?? []) + application.secrets
      known[application.key] = SinchApplication(key: application.key, secrets: secrets)
    }
    content = Replaceable(Content(known, others: []))
    isRandom = false
  }

  /// Creates a set in which any key names an application, all with one secret: for a gateway without configured
  /// applications.
  init(any secret: SinchSecret, isRandom: Bool = false) {
    content = Replaceable(Content([:], others: [secret]))
    self.isRandom = isRandom
  }

  /// Adopts the applications and secrets of `other`.
  func takeKeys(of other: SinchApplications) { content.replace(with: other.content.value) }

  /// The default application's key, used if none is named and any is accepted.
  static let usualKey: Name = "postern"

  /// The application whose key sorts first; nil if there is none.
  var first: SinchApplication? {
    let known = content.value.known
    return known.keys.min().flatMap { known[$0] } ?? self[Self.usualKey]
  }

  /// The maximum length of a key in bytes.
  static let keyLengthMax = 128

  /// Returns the application with that key; nil if there is none.
  subscript(key: Name) -> SinchApplication? {
    let content = content.value
    if let application = content.known[key] { return application }
    guard !content.others.isEmpty, Self.isKey(key.text) else { return nil }
    return SinchApplication(key: key, secrets: content.others)
  }

  /// Returns whether the text is a possible key. Keys look like UUIDs; letters, digits, `-` and `_` are accepted.
  static func isKey(_ text: String) -> Bool {
    (1...keyLengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        SinchUserName.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
  }
}

/// The rules for user names.
enum SinchUserName {
  /// Returns whether the name is valid for current and legacy mobile SDKs: 1 to 255 bytes out of `A-Z a-z 0-9 - _ =`.
  static func isCurrent(_ text: String) -> Bool {
    (1...UserID.lengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "=")
      }
  }

  /// Returns whether the name is valid for the legacy web SDK: printable ASCII, at most 40 characters.
  static func isLegacyWeb(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      false
    }
  }
}
