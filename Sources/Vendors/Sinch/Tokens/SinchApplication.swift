package import GatewayCore
internal import GatewayTokens

/// An application of Sinch's: its key, which names it, and its secrets, the newest first. While a secret is being
/// replaced two of them live, for instance.
package struct SinchApplication: Sendable {
  package let key: Name
  package let secrets: [SinchSecret]

  /// - Precondition: at least one secret.
  package init(key: Name, secrets: [SinchSecret]) {
    precondition(!secrets.isEmpty, "an application without a secret")
    self.key = key
    self.secrets = secrets
  }
}

/// The secret of an application, as base64 text: `dGhlIHNlY3JldCBvZiAxNg==` of 16 bytes, for instance. Prints without
/// itself.
package struct SinchSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// As it stands in the vendor's console: the legacy mobile signature takes it so.
  package let text: String
  /// What everything else takes.
  package let bytes: [UInt8]

  /// The secret that `text` is, in either base64 alphabet, padded or not; nil for anything else, and for nothing.
  package init?(_ text: String) {
    guard let bytes = Base64.decode(text), !bytes.isEmpty else { return nil }
    self.text = text
    self.bytes = bytes
  }

  /// The secret of these bytes.
  package init(bytes: [UInt8]) {
    text = Base64.encode(bytes)
    self.bytes = bytes
  }

  package var description: String { "SinchSecret(\(bytes.count) bytes)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The applications that a gateway knows: the one called `postern`, for instance, unless it was told of others.
package struct SinchApplications: Sendable {
  private let content: Replaceable<Content>
  /// Whether nobody but this process knows the secret: it stays the same as long as that lives.
  package let isRandom: Bool

  private final class Content: Sendable {
    let known: [Name: SinchApplication]
    /// The secrets of every application that is not among the known ones; empty if there are no others.
    let others: [SinchSecret]

    init(_ known: [Name: SinchApplication], others: [SinchSecret]) {
      self.known = known
      self.others = others
    }
  }

  /// Those applications, and no other.
  package init(_ applications: [SinchApplication]) {
    let known = applications.reduce(into: [Name: SinchApplication]()) { known, application in
      let secrets = (known[application.key]?.secrets ?? []) + application.secrets
      known[application.key] = SinchApplication(key: application.key, secrets: secrets)
    }
    content = Replaceable(Content(known, others: []))
    isRandom = false
  }

  /// An application of any key, all with one secret: for a gateway that nobody has told of applications.
  package init(any secret: SinchSecret, isRandom: Bool = false) {
    content = Replaceable(Content([:], others: [secret]))
    self.isRandom = isRandom
  }

  /// Has the applications and secrets of `other` from now on.
  func takeKeys(of other: SinchApplications) { content.replace(with: other.content.value) }

  /// The key of the application that is meant where none is named and any is known.
  package static let usualKey: Name = "postern"

  /// The application with the first of the keys, in their order; nil if there is none.
  var first: SinchApplication? {
    let known = content.value.known
    return known.keys.min().flatMap { known[$0] } ?? self[Self.usualKey]
  }

  /// The longest accepted key, in bytes.
  package static let keyLengthMax = 128

  /// The application of that key; nil if there is none.
  package subscript(key: Name) -> SinchApplication? {
    let content = content.value
    if let application = content.known[key] { return application }
    guard !content.others.isEmpty, Self.isKey(key.text) else { return nil }
    return SinchApplication(key: key, secrets: content.others)
  }

  /// Keys look like UUIDs; letters, digits, `-` and `_` are taken.
  package static func isKey(_ text: String) -> Bool {
    (1...keyLengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        SinchUserName.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
  }
}

/// The rule for what a user may be called: `ann-1`, for instance, but not `ann@example`, which only the legacy web
/// knows.
package enum SinchUserName {
  /// Current and legacy mobile: 1 to 255 bytes out of `A-Z a-z 0-9 - _ =`.
  package static func isCurrent(_ text: String) -> Bool {
    (1...UserID.lengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "=")
      }
  }

  /// Legacy web: printable ASCII, at most 40 characters.
  package static func isLegacyWeb(_ text: String) -> Bool {
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
