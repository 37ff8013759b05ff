/// The reason why a text is not valid JSON here. It never quotes the text, which may be a token.
package enum JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// More bytes than the limit.
  case tooLarge(limit: Int)
  /// Arrays and objects nest deeper than the limit.
  case tooDeep(limit: Int)
  /// An object has two members of one name; the second begins at this byte.
  case duplicateMember(position: Int)
  /// Not valid UTF-8 at this byte.
  case notUTF8(position: Int)
  /// A number outside 64 bits, which begins at this byte.
  case numberOutOfRange(position: Int)
  /// Against RFC 8259, or neither object nor array, or with NUL in a string, at this byte.
  case malformed(position: Int)

  package var description: String {
    switch self {
    case .tooLarge(let limit): "more than \(limit) bytes of JSON"
    case .tooDeep(let limit): "JSON nested deeper than \(limit) levels"
    case .duplicateMember(let position): "a member named twice, at byte \(position)"
    case .notUTF8(let position): "not UTF-8 at byte \(position)"
    case .numberOutOfRange(let position): "a number out of range at byte \(position)"
    case .malformed(let position): "not JSON at byte \(position)"
    }
  }
}
