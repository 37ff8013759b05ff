internal import GatewayCore
internal import GatewayKit

/// Texts of a recording on their way into a draft.
enum DraftText {
  /// Returns a text in which no hole of a template begins: each `{` after a `{` has a blank before it.
  ///
  /// In JSON this changes strings only, for `{{` stands nowhere else.
  static func withoutHoles(_ text: String) -> String {
    guard text.contains(bytesOf: "{{") else { return text }
    var (output, last) = ([UInt8](), UInt8(0))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "{"), last == byte { output.append(0x20) }
      output.append(byte)
      last = byte
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns a text without secrets that its recording should have had names for, e.g. one that was edited.
  static func withoutSecrets(_ text: String) -> String {
    let isJSON = text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "[")
    guard !isJSON, !words(of: text).contains(where: { isName(Substring($0)) }) else { return text }
    var scrubber = SecretScrubber()
    return scrubber.value(text, named: "")
  }

  /// Returns whether a byte may be one of a secret's name, e.g. `token-1`.
  static func isOfName(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
  }

  /// Returns whether a byte is a letter or a digit. Bytes of characters beyond ASCII count as letters.
  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte >= 0x80
  }

  /// Returns the parts of a text that may be names of secrets.
  static func words(of text: String) -> [Substring.UTF8View] {
    text[...].utf8.split { !isOfName($0) }
  }

  /// Returns whether a word is the name of a secret.
  static func isName(_ word: Substring) -> Bool {
    Pseudonyms.isName(word.utf8)
      || ["token-short", "cookie-short", "key-short", "id-short", "text-short"].contains {
        $0.utf8.elementsEqual(word.utf8)
      }
  }

  /// Returns the text before the first name of a secret; nil if there is none.
  static func start(beforeNameIn text: String) -> String? {
    words(of: text).first { isName(Substring($0)) }.map { String(text[..<$0.startIndex]) }
  }
}
